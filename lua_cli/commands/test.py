"""`lua test`: the project's cases. `lua test skill`: one tool, once. Both out of the artifacts, in child processes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.bundle.model import BuiltArtifact, OpenedArtifact
    from lua_cli.pipeline import Compiled
    from lua_cli.project import Project
    from lua_cli.runtime import RunOptions, RunResult
    from lua_cli.runtime.casefile import Case
    from lua_cli.runtime.cases import CaseResult

TIMEOUT, LONGEST = 30.0, 86_400.0

test_app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

EnvFile = Annotated[Path | None, typer.Option("--env-file", help="More variables: NAME=value lines.", metavar="FILE")]
Timeout = Annotated[float, typer.Option("--timeout", help="Seconds that a tool may take.", metavar="SECONDS")]
Sandboxed = Annotated[
    bool, typer.Option("--sandbox", help="Run inside of bubblewrap: no network, no home, no project.")
]
Network = Annotated[bool, typer.Option("--network", help="With --sandbox: with the network.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@test_app.callback(invoke_without_command=True)
def test_command(
    context: typer.Context,
    select: Annotated[
        str | None, typer.Option("-k", help="Only cases whose file, name or tool contains this.", metavar="TEXT")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write a JUnit report.", metavar="FILE")] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Use the network in cases whose `http` is a file, and write that file.")
    ] = False,
    env_file: EnvFile = None,
    timeout: Timeout = TIMEOUT,
    sandbox: Sandboxed = False,
    network: Network = False,
    as_json: AsJson = False,
) -> int:
    """Run the cases in tests/*.test.yaml, or one tool: lua test skill."""
    if context.invoked_subcommand is not None:
        return EXIT_OK
    from lua_cli.commands.session import build, print_json, project, say
    from lua_cli.commands.showing import explain_case, write_junit
    from lua_cli.runtime import forget_old
    from lua_cli.runtime.casefile import read_cases

    target = project()
    cases = _selected(read_cases(target.root), select)
    artifacts = {name: artifact.open() for name, artifact in build(target).artifacts.items()}
    options = run_options(target, env_file, timeout, sandbox, network)
    results = _run_cases(cases, artifacts, options, record, quiet=as_json)
    forget_old(options.cache, {artifact.digest for artifact in artifacts.values()})
    if junit is not None:
        write_junit(junit, results)
    failed = [result for result in results if not result.ok]
    if as_json:
        print_json({"ok": not failed, "cases": [result.document() for result in results]})
        return EXIT_FINDINGS if failed else EXIT_OK
    say(f"\n{len(results) - len(failed)} passed" + (f", {len(failed)} failed" if failed else ""))
    for result in failed:
        explain_case(result)
    return EXIT_FINDINGS if failed else EXIT_OK


def _selected(cases: list[Case], text: str | None) -> list[Case]:
    """The cases that contain the text of `-k`. Raises NotFoundError when none does."""
    if text is None:
        return cases
    found = [case for case in cases if any(text.lower() in t.lower() for t in (case.file, case.name, case.tool))]
    if not found:
        raise NotFoundError(f"no case has {text!r} in its file, name or tool", hint="`lua test` runs them all")
    return found


def _run_cases(
    cases: list[Case], artifacts: dict[str, OpenedArtifact], options: RunOptions, record: bool, *, quiet: bool
) -> list[CaseResult]:
    """Run the cases, each shown as soon as it and those before it are done."""
    from lua_cli.commands.session import progress, say
    from lua_cli.commands.showing import case_line
    from lua_cli.runtime.cases import run_cases

    show, results, file = progress(), [], ""
    for result in run_cases(cases, artifacts, options, record):
        results.append(result)
        show("")
        if not quiet and result.case.file != file:
            file = result.case.file
            say(file)
        if not quiet:
            say(case_line(result))
        show(f"{len(results)} of {len(cases)} cases")
    show("")
    return results


@test_app.command("skill")
def test_skill_command(
    name: Annotated[str | None, typer.Option("--name", help="The tool's name.", metavar="TOOL")] = None,
    input_text: Annotated[
        str | None, typer.Option("--input", help="The input: JSON, @FILE, or - for stdin.", metavar="JSON")
    ] = None,
    skill: Annotated[
        str | None, typer.Option("--skill", help="The skill, when several have the tool.", metavar="SKILL")
    ] = None,
    timeout: Timeout = TIMEOUT,
    env_file: EnvFile = None,
    sandbox: Sandboxed = False,
    network: Network = False,
    as_json: AsJson = False,
) -> int:
    """Run one tool out of its artifact, in a process of its own."""
    from lua_cli.commands.asking import ask_input, choose_tool
    from lua_cli.commands.session import build, current, project
    from lua_cli.commands.showing import show_result
    from lua_cli.runtime import forget_old, run_tool

    interactive = current().interactive and not as_json
    if name is None and not interactive:
        raise UsageError("--name is missing: which tool?", hint="lua test skill --name TOOL --input JSON")
    given = None if input_text is None else _read_input(input_text)
    target = project()
    compiled = build(target)
    chosen = choose_tool(_tools(compiled)) if name is None else name
    found = chosen_artifact(compiled, chosen, skill)
    if found is not None:
        opened = found.open()
        if given is None:
            schema = next(tool["inputSchema"] for tool in opened.manifest["tools"] if tool["name"] == chosen)
            given = ask_input(schema) if interactive else _no_input(schema)
        options = run_options(target, env_file, timeout, sandbox, network)
        result = run_tool(opened, chosen, given, options)
        forget_old(options.cache, {artifact.digest for artifact in compiled.artifacts.values()})
    else:
        result = unknown_tool(chosen, compiled, skill)
    return show_result(result, as_json)


def run_options(
    target: Project, env_file: Path | None, timeout: float, sandbox: bool = False, network: bool = False
) -> RunOptions:
    """How tools of the project run. Raises UsageError for flags that do not go together."""
    from lua_cli.runtime import RunOptions

    if not 0 < timeout <= LONGEST:
        raise UsageError(f"--timeout {timeout:g}: seconds must be more than 0, and at most a day", hint="--timeout 30")
    if network and not sandbox:
        raise UsageError("--network goes with --sandbox: without it a tool has the network anyway")
    return RunOptions(
        interpreter=target.interpreter.executable,
        cache=target.output / "cache" / "unpacked",
        project=target.root,
        roots=target.import_roots,
        timeout=timeout,
        env_file=env_file,
        sandbox=sandbox,
        network=network,
        packages=target.interpreter.packages,
    )


def _tools(compiled: Compiled) -> list[tuple[str, str]]:
    """Name and description of every tool."""
    return [(tool["name"], tool["description"] or "") for tool in compiled.document["tools"]]


def chosen_artifact(compiled: Compiled, name: str, skill: str | None) -> BuiltArtifact | None:
    """The artifact that holds the tool. Raises UsageError when several skills have different tools of that name."""
    if skill is not None and skill not in compiled.artifacts:
        raise NotFoundError(f"no skill {skill!r}", hint="there are: " + ", ".join(sorted(compiled.artifacts)))
    holders = {
        holder: tool["class"]
        for tool in compiled.document["tools"]
        if tool["name"] == name
        for holder in tool["skills"]
        if holder in compiled.artifacts and skill in (None, holder)
    }
    if len(set(holders.values())) > 1:
        raise UsageError(
            f"several skills have a tool {name!r}: {', '.join(sorted(holders))}", hint="choose with --skill"
        )
    return compiled.artifacts[min(holders)] if holders else None


def unknown_tool(name: str, compiled: Compiled, skill: str | None) -> RunResult:
    """There is no such tool, with the nearest names."""
    from lua_cli.runtime import RunResult
    from lua_cli.runtime.running import not_found

    names = [tool["name"] for tool in compiled.document["tools"] if skill is None or skill in tool["skills"]]
    return RunResult(name, error=not_found(name, names, skill))


def _no_input(schema: dict[str, Any]) -> str:
    """A tool without required fields takes {}; any other wants to be asked properly."""
    required = schema.get("required") or []
    if required:
        raise UsageError(
            f"--input is missing, and the tool requires {', '.join(required)}", hint="--input '{…}', @FILE or -"
        )
    return "{}"


def _read_input(given: str) -> str | bytes:
    """The text of `--input`: itself, of a file, or of stdin; never more than is accepted, and a little."""
    from lua_cli.runtime.request import MAX_BYTES

    if given == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    if not given.startswith("@"):
        return given
    path = Path(given[1:])
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotFoundError(f"--input: no such file {path}", hint="--input @FILE names a JSON file") from None
    except OSError as error:
        raise UsageError(f"--input: cannot read {path}: {error.strerror}") from error
