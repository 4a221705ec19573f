"""`lua test`: the project's cases. `lua test skill`: one tool, once. Both out of the artifacts, in child processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.commands.testing import TIMEOUT, Asked, run_one, run_options, state_of
from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, NotFoundError, UsageError
from lua_cli.records import replace

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.runtime import RunOptions
    from lua_cli.runtime.casefile import Case
    from lua_cli.runtime.cases import CaseResult

test_app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

EnvFile = Annotated[Path | None, typer.Option("--env-file", help="More variables: NAME=value lines.", metavar="FILE")]
User = Annotated[
    Path | None, typer.Option("--user", metavar="FILE", help='The end user: {"id": …, "data": {…}} as JSON.')
]
Timeout = Annotated[float, typer.Option("--timeout", help="Seconds that a tool may take.", metavar="SECONDS")]
Sandboxed = Annotated[
    bool, typer.Option("--sandbox", help="Run inside of bubblewrap: no network, no home, no project.")
]
Network = Annotated[bool, typer.Option("--network", help="With --sandbox: with the network.")]
_OF_A_RUN = ("user", "env_file", "timeout", "sandbox", "network", "as_json")
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
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="The model of conversations without a script.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="N", help="Play such a conversation N times.")] = 1,
    min_pass: Annotated[
        float, typer.Option("--min-pass", metavar="SHARE", help="Which share of the runs must be good.")
    ] = 1.0,
    user: User = None,
    env_file: EnvFile = None,
    timeout: Timeout = TIMEOUT,
    sandbox: Sandboxed = False,
    network: Network = False,
    as_json: AsJson = False,
    watch: Annotated[bool, typer.Option("--watch", help="Run again whenever a file of the project changes.")] = False,
) -> int:
    """Run the cases in tests/*.test.yaml, or one tool: lua test skill."""
    if context.invoked_subcommand is not None:
        _pass_on(context, context.invoked_subcommand)
        return EXIT_OK
    if watch:
        return _watch(context)
    from lua_cli.commands.playing import Playing
    from lua_cli.commands.session import build, print_json, project, say
    from lua_cli.commands.showing import explain_case, write_junit
    from lua_cli.runtime import forget_old
    from lua_cli.runtime.casefile import read_cases

    target = project()
    cases = _selected(read_cases(target.root, target.flows), select)
    artifacts = {name: artifact.open() for name, artifact in build(target).artifacts.items()}
    options = replace(run_options(target, env_file, timeout, sandbox, network), state=state_of(target.output, user))
    playing = Playing(model, runs, min_pass, record)
    play = playing.player(target, options) if any(case.turns for case in cases) else None
    results = _run_cases(cases, artifacts, options, record, play, quiet=as_json)
    forget_old(options.cache, {artifact.digest for artifact in artifacts.values()})
    if junit is not None:
        write_junit(junit, results)
    lost = [result for result in results if result.unreached is not None]
    failed = [result for result in results if not result.ok and result.unreached is None]
    if as_json:
        print_json({"ok": not failed and not lost, "cases": [result.document() for result in results]})
        return _exit_code(failed, lost)
    passed = len(results) - len(failed) - len(lost)
    more = (f", {len(failed)} failed" if failed else "") + (f", {len(lost)} not played" if lost else "")
    say(f"\n{passed} passed{more}")
    for result in failed:
        explain_case(result)
    return _exit_code(failed, lost)


def _pass_on(context: typer.Context, command: str) -> None:
    """What stands before `skill` holds for it, as what stands behind: `--sandbox` must not be lost."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = {name: context.params[name] for name, source in sources.items() if source and source.name == "COMMANDLINE"}
    for parameter in context.command.params:
        if parameter.name in given and parameter.name not in _OF_A_RUN:
            flag = parameter.opts[0]
            message = f"{flag} is for cases, and `lua test {command}` runs one tool"
            raise UsageError(message, hint=f"`lua test {flag} …` runs the cases in tests/*.test.yaml")
    context.default_map = {command: given}


def _exit_code(failed: list[CaseResult], lost: list[CaseResult]) -> int:
    """Wrong choices count first; then what kept a case from its model, a missing key before anything else."""
    codes = sorted(result.unreached.exit_code for result in lost if result.unreached is not None)
    return EXIT_FINDINGS if failed else codes[0] if codes else EXIT_OK


def _watch(context: typer.Context) -> int:
    """The command without `--watch`, again and again."""
    from lua_cli.commands.session import project
    from lua_cli.commands.watching import again_and_again

    flags = {**context.params, "watch": False}
    for name in ("record", "as_json"):
        if flags[name]:
            flag = "--record" if name == "record" else "--json"
            raise UsageError(f"--watch does not go with {flag}", hint="leave one of them out")
    without = [flags["junit"]] if flags["junit"] is not None else []
    again_and_again(project().root, lambda: test_command(context, **flags), without)
    return EXIT_OK


def _selected(cases: list[Case], text: str | None) -> list[Case]:
    """The cases that contain the text of `-k`. Raises NotFoundError when none does."""
    if text is None:
        return cases
    found = [case for case in cases if any(text.lower() in t.lower() for t in (case.file, case.name, case.tool))]
    if not found:
        raise NotFoundError(f"no case has {text!r} in its file, name or tool", hint="`lua test` runs them all")
    return found


def _run_cases(
    cases: list[Case],
    artifacts: dict[str, OpenedArtifact],
    options: RunOptions,
    record: bool,
    play: Callable[[Case], CaseResult] | None,
    *,
    quiet: bool,
) -> list[CaseResult]:
    """Run the cases, each shown as soon as it and those before it are done."""
    from lua_cli.commands.session import progress, say
    from lua_cli.commands.showing import case_line
    from lua_cli.runtime.cases import run_cases

    show, results, file = progress(), [], ""
    for result in run_cases(cases, artifacts, options, record, play):
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
    user: User = None,
    sandbox: Sandboxed = False,
    network: Network = False,
    as_json: AsJson = False,
) -> int:
    """Run one tool out of its artifact, in a process of its own."""
    return run_one(Asked(name, input_text, skill, timeout, env_file, user, sandbox, network, as_json))
