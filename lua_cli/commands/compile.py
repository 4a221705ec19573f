"""`lua compile`: lint and bundle."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, LuaError, UsageError

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.rules import Choice

FORMATS = ("text", "concise", "json", "github", "sarif")
_ROUNDS = 25  # a fix can make another one possible; more rounds than this means that two fixes undo each other


def compile_command(
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Say what a compile says, but write nothing and run nothing: no schemas are read."
        ),
    ] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Write what the fixes of the diagnostics propose.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print the fixes as a diff and write nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 on warnings too.")] = False,
    select: Annotated[
        list[str] | None, typer.Option("--select", help="Only these warnings (commas or repeated).", metavar="CODES")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Not these warnings (commas or repeated).", metavar="CODES")
    ] = None,
    providers: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            help="Judge by the limits of openai, anthropic, gemini; with --json, show what each would get.",
            metavar="PROVIDERS",
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Say only warnings that FILE does not know.", metavar="FILE")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option("--write-baseline", help="Write the present warnings to FILE.", metavar="FILE")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain-bundle", help="Say why each file, package and variable is in.")
    ] = False,
    output_format: Annotated[
        str, typer.Option("--format", help="text, concise, json, github or sarif.", metavar="F")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Compile again whenever a file of the project changes.")
    ] = False,
) -> int:
    """Lint the project and bundle its registered skills into .lua/artifacts."""
    if watch:
        flags = {"--fix": fix, "--diff": diff, "--explain-bundle": explain, "--write-baseline": write_baseline}
        again = partial(
            compile_command, check, False, False, strict, select, ignore, providers, baseline, None, False,
            output_format, as_json,
        )  # fmt: skip
        chosen = "json" if as_json else output_format
        plain = not (check or select or ignore or providers or baseline) and chosen == "text"
        short = ["compile", *(["--strict"] if strict else [])] if plain else None
        return _watch(partial(_said_shortly, short, again), [flag for flag, given in flags.items() if given], chosen)
    from lua_cli.commands.compiled import exit_code, show_and_keep
    from lua_cli.commands.compiled import show as show_document
    from lua_cli.commands.session import current, progress, project
    from lua_cli.pipeline import compile_project
    from lua_cli.rules import Choice

    chosen = "json" if as_json else output_format
    if chosen not in FORMATS:
        raise UsageError(f"unknown format {chosen!r}", hint="one of: " + ", ".join(FORMATS))
    target = project()
    codes = {"select": _codes(select), "ignore": _codes(ignore), "providers": _codes(providers)}
    choice = Choice(codes["select"], codes["ignore"], codes["providers"]) if any(codes.values()) else None
    if explain:
        return _explain(target, as_json=chosen == "json")
    if diff:
        return _show_diff(target, choice)
    if fix:
        _apply_fixes(target, choice)
    show = progress()
    try:
        compiled = compile_project(
            target, until="bundling" if check else "artifacts", choice=choice, ci=current().ci, progress=show
        )
    finally:
        show("")
    if write_baseline is not None:
        _write_baseline(target, compiled.document, write_baseline)
    document = _beyond(target, compiled.document, baseline) if baseline is not None else compiled.document
    if codes["providers"] and chosen == "json":
        document = {**document, "providers": _provider_tools(document, codes["providers"])}
    whole = document is compiled.document and document["ok"] and choice is None and not check
    if whole and chosen in ("text", "json"):
        show_and_keep(target, document, chosen)
    else:
        show_document(target, document, chosen)
    return exit_code(document, strict=strict)


def _watch(again: Callable[[], int], refused: list[str], chosen: str) -> int:
    """The command without `--watch`, again and again in this process, until it is interrupted."""
    from lua_cli.commands.session import project
    from lua_cli.commands.watching import PROMPT, again_and_again

    refused += [f"--format {chosen}"] if chosen in ("json", "sarif") else []
    if refused:
        raise UsageError(f"--watch does not go with {refused[0]}", hint="leave one of them out")
    again_and_again(project().root, again, pace=PROMPT)
    return EXIT_OK


def _said_shortly(words: list[str] | None, again: Callable[[], int]) -> int:
    """What a process of its own would answer at once; else the command itself. Garbage is collected after the
    answer: the documents of a large project make a collection out of every small step.
    """
    import gc

    from lua_cli.commands.at_once import answer_at_once
    from lua_cli.commands.session import current

    given = current()
    flags = [*(["--ci"] if given.ci else []), *([f"--project={given.project}"] if given.project else [])]
    gc.disable()
    try:
        code = answer_at_once([*words, *flags]) if words is not None else None
        return again() if code is None else code
    finally:
        sys.stdout.flush()
        gc.enable()


def _codes(values: list[str] | None) -> tuple[str, ...]:
    return tuple(code.strip() for value in values or () for code in value.split(",") if code.strip())


def _beyond(target: Project, document: Mapping[str, Any], baseline: Path) -> dict[str, Any]:
    """The document with the diagnostics alone that the baseline does not know."""
    from lua_cli.report import diagnostic_from_record, diagnostic_record, disk_sources
    from lua_cli.rules.judging.baseline import beyond_baseline, read_baseline

    diagnostics = [diagnostic_from_record(record) for record in document["diagnostics"]]
    new = beyond_baseline(diagnostics, read_baseline(baseline), disk_sources(target.root))
    return {**document, "diagnostics": [diagnostic_record(diagnostic) for diagnostic in new]}


def _write_baseline(target: Project, document: Mapping[str, Any], path: Path) -> None:
    from lua_cli.report import diagnostic_from_record, disk_sources
    from lua_cli.rules.judging.baseline import baseline_text

    diagnostics = [diagnostic_from_record(record) for record in document["diagnostics"]]
    path.write_text(baseline_text(diagnostics, disk_sources(target.root)), encoding="utf-8")


def _explain(target: Project, *, as_json: bool) -> int:
    from lua_cli.commands.session import print_json, say
    from lua_cli.pipeline import explain_bundles
    from lua_cli.report.bundles import bundle_lines

    explained = explain_bundles(target)
    if as_json:
        print_json({"ok": True, "bundles": explained})
    else:
        say("\n".join(line for bundle in explained for line in bundle_lines(bundle)).rstrip())
    return EXIT_OK


def _provider_tools(document: Mapping[str, Any], providers: tuple[str, ...]) -> dict[str, Any]:
    """What each provider would be sent: its name → its tools."""
    from lua_cli.report.providers import provider_tools

    return {provider: provider_tools(document, provider) for provider in providers}


def _planned(target: Project, choice: Choice | None) -> Any:
    from lua_cli.pipeline import compile_project
    from lua_cli.report import diagnostic_from_record
    from lua_cli.rules.fixes import plan_fixes

    document = compile_project(target, until="bundling", choice=choice).document
    return plan_fixes([diagnostic_from_record(record) for record in document["diagnostics"]], target)


def _show_diff(target: Project, choice: Choice | None) -> int:
    from lua_cli.rules.fixes import diff_of

    plan = _planned(target, choice)
    sys.stdout.write(diff_of(plan))
    return EXIT_FINDINGS if plan.changes else EXIT_OK


def _apply_fixes(target: Project, choice: Choice | None) -> None:
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
    elif not plan.left:
        note("nothing to fix: what is said below, if anything is, has no fix of its own")
