"""`lua test`: the project's cases. `lua test skill`: one tool, once. Both out of the artifacts, in child processes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, LuaError, NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.bundle.model import BuiltArtifact
    from lua_cli.pipeline import Compiled
    from lua_cli.project import Project
    from lua_cli.runtime import RunOptions, RunResult
    from lua_cli.runtime.cases import CaseResult

TIMEOUT = 30.0

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
    from lua_cli.commands.session import build, note, print_json, progress, project, say
    from lua_cli.runtime.casefile import read_cases
    from lua_cli.runtime.cases import run_cases

    target = project()
    cases = read_cases(target.root)
    if select is not None:
        cases = [case for case in cases if any(select.lower() in t.lower() for t in (case.file, case.name, case.tool))]
        if not cases:
            raise NotFoundError(f"no case has {select!r} in its file, name or tool", hint="`lua test` runs them all")
    artifacts = {skill: artifact.open() for skill, artifact in build(target).artifacts.items()}
    show, results, file = progress(), [], ""
    for result in run_cases(cases, artifacts, run_options(target, env_file, timeout, sandbox, network), record):
        results.append(result)
        if not as_json:
            show("")
            if result.case.file != file:
                file = result.case.file
                say(file)
            say(_case_line(result))
        show(f"{len(results)} of {len(cases)} cases")
    show("")
    if junit is not None:
        _write_junit(junit, results)
    failed = sum(not result.ok for result in results)
    if as_json:
        print_json({"ok": not failed, "cases": [result.document() for result in results]})
    else:
        say(f"\n{len(results) - failed} passed" + (f", {failed} failed" if failed else ""))
    for result in results:
        if not result.ok and not as_json:
            _explain(result, note)
    return EXIT_FINDINGS if failed else EXIT_OK


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
    from lua_cli.runtime import run_tool

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
    else:
        result = unknown_tool(chosen, compiled, skill)
    return _show(result, as_json)


def run_options(
    target: Project, env_file: Path | None, timeout: float, sandbox: bool = False, network: bool = False
) -> RunOptions:
    """How tools of the project run. Raises UsageError for flags that do not go together."""
    from lua_cli.runtime import RunOptions

    if not timeout > 0:
        raise UsageError(f"--timeout {timeout:g}: seconds must be more than 0", hint="--timeout 30")
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


def _show(result: RunResult, as_json: bool) -> int:
    """The output on stdout, everything else on stderr."""
    from lua_cli.commands.session import note, print_json

    for line in result.notes:
        note(f"note: {line}")
    if as_json:
        print_json(result.document())
        return result.exit_code
    if result.logs:
        note(result.logs.removesuffix("\n"))
    if result.error is None:
        print_json(result.output)
    else:
        note(error_text(result))
    return result.exit_code


def error_text(result: RunResult) -> str:
    """An error for a reader: what, where, every fault, the user's frames, the way out."""
    error = result.error
    if error is None:
        return ""
    lines = [f"{mark(False)} {error.type}: {error.message}"]
    if error.excerpt:
        lines.append(error.excerpt)
    if len(error.errors) > 1:
        width = max(len(fault.path) for fault in error.errors)
        lines += [f"    {fault.path:{width}}  {fault.message}" for fault in error.errors]
    if error.traceback:
        lines += ["  " + line for line in error.traceback.splitlines()]
    if error.hint:
        lines.append(f"  hint: {error.hint}")
    return "\n".join(lines)


def mark(good: bool) -> str:
    """A tick or a cross, in what the terminal can show."""
    sign, plain = ("✔", "ok") if good else ("✖", "x")
    try:
        sign.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return plain
    return sign


def _case_line(result: CaseResult) -> str:
    line = f"  {mark(result.ok)} {result.case.name}"
    return line if result.ok else f"{line}\n      {result.case.file}:{result.case.line}: {result.message}"


def _explain(result: CaseResult, note: Any) -> None:
    """What a failed case's tool said: its log and its traceback."""
    parts = [result.result.logs.rstrip(), (result.result.error.traceback or "") if result.result.error else ""]
    text = "\n".join(part for part in parts if part)
    if text:
        note(f"\n{result.case.name}:\n" + "\n".join("  " + line for line in text.splitlines()))


class _Tested:
    """A case as the JUnit report reads it."""

    def __init__(self, result: CaseResult) -> None:
        self.file, self.name, self.line = result.case.file, result.case.name, result.case.line
        self.message, self.seconds = result.message, result.result.duration_ms / 1000
        trace = (result.result.error.traceback or "") if result.result.error else ""
        self.detail = "\n".join(part for part in (result.message or "", trace, result.result.logs.rstrip()) if part)


def _write_junit(path: Path, results: list[CaseResult]) -> None:
    from lua_cli.report.junit import junit

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(junit(_Tested(result) for result in results), encoding="utf-8")
    except OSError as error:
        raise LuaError(
            f"cannot write {path}: {error.strerror}", hint="--junit names a file that can be written"
        ) from error
