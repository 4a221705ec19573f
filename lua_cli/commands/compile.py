"""`lua compile`: lint and bundle."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, UsageError

FORMATS = ("text", "concise", "json", "github", "sarif")


def compile_command(
    check: Annotated[bool, typer.Option("--check", help="Lint only: write nothing, start no child process.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 on warnings too.")] = False,
    output_format: Annotated[
        str, typer.Option("--format", help="text, concise, json, github or sarif.", metavar="F")
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> int:
    """Lint the project and bundle its registered skills into .lua/artifacts."""
    from lua_cli.commands.session import current, note, print_json, progress, project, say
    from lua_cli.pipeline import compile_project
    from lua_cli.report import render

    chosen = "json" if as_json else output_format
    if chosen not in FORMATS:
        raise UsageError(f"unknown format {chosen!r}", hint="one of " + ", ".join(FORMATS))
    target = project()
    show = progress()
    compiled = compile_project(target, check=check, progress=show)
    show("")
    if chosen == "json":
        print_json(compiled.document)
    else:
        text = render(compiled.document, chosen, root=target.root, colour=current().colour(sys.stdout))
        if text:
            sys.stdout.write(text)
    warnings = any(d["severity"] == "warning" for d in compiled.document["diagnostics"])
    if chosen == "text" and compiled.ok and not check:
        for skill in compiled.document["skills"]:
            tools = f"{len(skill['tools'])} tool" + ("" if len(skill["tools"]) == 1 else "s")
            say(f"{skill['artifact']}  {tools}  {skill['digest'][:19]}")
    del note
    return EXIT_FINDINGS if not compiled.ok or (strict and warnings) else EXIT_OK
