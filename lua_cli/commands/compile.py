"""`lua compile`: lint and bundle."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, LuaError, UsageError

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.rules import Choice

FORMATS = ("text", "concise", "json", "github", "sarif")
_ROUNDS = 25  # a fix can make another one possible; more rounds than this means that two fixes undo each other


def compile_command(
    check: Annotated[bool, typer.Option("--check", help="Lint only: write nothing, start no child process.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Write what the fixes of the diagnostics propose.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print the fixes as a diff and write nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 on warnings too.")] = False,
    select: Annotated[
        list[str] | None, typer.Option("--select", help="Only these warnings (commas or repeated).", metavar="CODES")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Not these warnings (commas or repeated).", metavar="CODES")
    ] = None,
    output_format: Annotated[
        str, typer.Option("--format", help="text, concise, json, github or sarif.", metavar="F")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> int:
    """Lint the project and bundle its registered skills into .lua/artifacts."""
    from lua_cli.commands.session import progress, project
    from lua_cli.pipeline import compile_project
    from lua_cli.rules import Choice

    chosen = "json" if as_json else output_format
    if chosen not in FORMATS:
        raise UsageError(f"unknown format {chosen!r}", hint="one of: " + ", ".join(FORMATS))
    target, choice = project(), Choice(select=_codes(select), ignore=_codes(ignore))
    if diff:
        return _show_diff(target, choice)
    if fix:
        _apply_fixes(target, choice)
    show = progress()
    try:
        compiled = compile_project(target, check=check, choice=choice, progress=show)
    finally:
        show("")
    _print(target, compiled.document, chosen)
    warned = any(diagnostic["severity"] == "warning" for diagnostic in compiled.document["diagnostics"])
    return EXIT_FINDINGS if not compiled.ok or (strict and warned) else EXIT_OK


def _codes(values: list[str] | None) -> tuple[str, ...]:
    return tuple(code.strip() for value in values or () for code in value.split(",") if code.strip())


def _print(target: Project, document: Mapping[str, Any], chosen: str) -> None:
    from lua_cli.commands.session import current, print_json, say
    from lua_cli.report import render

    if chosen == "json":
        print_json(document)
        return
    if chosen == "text":
        for line in _built(document):
            say(line)
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(render(document, chosen, root=target.root, colour=current().colour(sys.stdout), encoding=encoding))


def _built(document: Mapping[str, Any]) -> list[str]:
    """One line for each artifact that was written, in columns, and an empty line."""
    rows = [
        (
            skill["name"],
            f"{len(skill['tools'])} tool{'' if len(skill['tools']) == 1 else 's'}",
            skill["artifact"],
            skill,
        )
        for skill in document["skills"]
        if skill["artifact"] and skill["digest"]
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    lines = [
        "  ".join([*(row[column].ljust(widths[column]) for column in range(3)), row[3]["digest"][:19]]) for row in rows
    ]
    return [*lines, ""] if lines else []


def _planned(target: Project, choice: Choice) -> Any:
    from lua_cli.pipeline import compile_project
    from lua_cli.report import diagnostic_from_record
    from lua_cli.rules.fixes import plan_fixes

    document = compile_project(target, check=True, choice=choice).document
    return plan_fixes([diagnostic_from_record(record) for record in document["diagnostics"]], target)


def _show_diff(target: Project, choice: Choice) -> int:
    from lua_cli.rules.fixes import diff_of

    plan = _planned(target, choice)
    sys.stdout.write(diff_of(plan))
    return EXIT_FINDINGS if plan.changes else EXIT_OK


def _apply_fixes(target: Project, choice: Choice) -> None:
    """Fix, look again, fix what that made possible, until there is nothing left to do."""
    from lua_cli.commands.session import note
    from lua_cli.rules.fixes import write_fixes

    fixed = 0
    for _ in range(_ROUNDS):
        plan = _planned(target, choice)
        if not plan.changes:
            break
        write_fixes(plan, target)
        fixed += len(plan.applied)
    else:
        raise LuaError("the fixes do not come to an end", hint="look at `lua compile --diff` and mend one by hand")
    for diagnostic, why in plan.left:
        place = diagnostic.place
        note(f"not fixed: {place.path}:{place.line}: {diagnostic.code}: {why}")
    if fixed:
        note(f"fixed {fixed} finding{'' if fixed == 1 else 's'}")
