"""`lua fuzz TOOL`: draw inputs from a tool's schema, find one that breaks it, and keep that as a case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.test import EnvFile, Timeout
from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.runtime import RunResult

TIMEOUT = 10.0


def fuzz_command(
    name: Annotated[str, typer.Argument(help="The tool's name.", metavar="TOOL")],
    examples: Annotated[int, typer.Option("--examples", help="How many inputs to try.", metavar="N")] = 50,
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same inputs.", metavar="N")] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Every exception is a failure.")] = False,
    skill: Annotated[
        str | None, typer.Option("--skill", help="The skill, when several have the tool.", metavar="SKILL")
    ] = None,
    timeout: Timeout = TIMEOUT,
    env_file: EnvFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Try a tool with inputs drawn from its schema; a failing one becomes a case."""
    from lua_cli.commands.session import build, note, print_json, progress, project, say
    from lua_cli.commands.showing import error_text
    from lua_cli.commands.testing import chosen_artifact, run_options, unknown_tool
    from lua_cli.runtime.fuzz import fuzz_tool

    if examples < 1:
        raise UsageError(f"--examples {examples}: at least 1", hint="--examples 50")
    target = project()
    compiled = build(target)
    found = chosen_artifact(compiled, name, skill)
    if found is None:
        error = unknown_tool(name, compiled, skill).error
        raise NotFoundError(error.message if error else name, hint=error.hint if error else None)
    show = progress()
    options = run_options(target, env_file, timeout)
    fuzzed = fuzz_tool(
        found.open(), name, options, examples=examples, seed=seed, strict=strict,
        progress=lambda count: show(_counted(count)),
    )  # fmt: skip
    show("")
    written = None if fuzzed.result is None else _write_case(target.root, name, fuzzed.failing)
    if as_json:
        print_json(
            {
                "ok": fuzzed.result is None,
                "tool": name,
                "tried": fuzzed.tried,
                "input": fuzzed.failing,
                **_found(fuzzed.result),
            }
            | {"case": written}
        )
    elif fuzzed.result is None:
        say(f"{name}: {_counted(fuzzed.tried)}, {'it did not fail' if fuzzed.tried == 1 else 'none failed'}")
    else:
        say(json.dumps(fuzzed.failing, ensure_ascii=False))
        note(error_text(fuzzed.result))
        note(f"  the smallest of {_counted(fuzzed.tried)}; kept as a case in {written}")
    return EXIT_OK if fuzzed.result is None else EXIT_FINDINGS


def _counted(count: int) -> str:
    return f"{count} input{'' if count == 1 else 's'}"


def _found(result: RunResult | None) -> dict[str, Any]:
    return {"error": None if result is None else result.document()["error"]}


def _write_case(root: Path, tool: str, value: Any) -> str:
    """Add the input as a case that wants any output, so that it fails until the tool is mended. Gives the file's
    name.
    """
    path = root / "tests" / f"{tool}.fuzz.test.yaml"
    path.parent.mkdir(exist_ok=True)
    text = (
        path.read_text("utf-8")
        if path.is_file()
        else "# Found by `lua fuzz`. A case passes when the tool answers.\ncases:\n"
    )
    given = json.dumps(value, ensure_ascii=True)
    shown = path.relative_to(root).as_posix()
    if f"input: {given}\n" in text:
        return shown
    count = text.count("- name: ") + 1
    path.write_text(text + f"  - name: found {count}\n    tool: {tool}\n    input: {given}\n", encoding="utf-8")
    return shown
