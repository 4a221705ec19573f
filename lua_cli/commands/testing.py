"""`lua test skill` without typer, whose import costs as much as a tool: the flags' values in, the exit code out.

`answer_directly` reads the plain form of the command line; everything else (help, mistakes, a person to be asked) is
for the application in `test.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.records import record, replace

if TYPE_CHECKING:
    from lua_cli.bundle.model import BuiltArtifact
    from lua_cli.pipeline import Compiled
    from lua_cli.project import Project
    from lua_cli.runtime import RunOptions, RunResult
    from lua_cli.runtime.state import State

TIMEOUT, LONGEST = 30.0, 86_400.0


@record(frozen=True, slots=False)
class Asked:
    """What a command line asks for; the fields are the flags of `lua test skill`."""

    name: str | None = None
    input_text: str | None = None
    skill: str | None = None
    timeout: float = TIMEOUT
    env_file: Path | None = None
    user: Path | None = None
    sandbox: bool = False
    network: bool = False
    as_json: bool = False


def answer_directly(args: list[str]) -> int | None:
    """The exit code of `lua test skill --name TOOL …` with known flags, each once; None for other command lines."""
    from lua_cli.commands.session import current
    from lua_cli.commands.test_words import words_given

    given = words_given(args[2:]) if args[:2] == ["test", "skill"] else None
    if given is None or "name" not in given:
        return None
    try:
        asked = asked_of(given)
    except ValueError:
        return None
    return None if current().interactive and not asked.as_json else run_one(asked)


def asked_of(given: Mapping[str, str]) -> Asked:
    """The flags as values. Raises ValueError for seconds that are no number."""
    fields: dict[str, Any] = {**given, "timeout": float(given.get("timeout", TIMEOUT))}
    fields |= {name: Path(given[name]) for name in ("env_file", "user") if name in given}
    return Asked(**fields | {name: True for name in ("sandbox", "network", "as_json") if name in given})


def run_one(asked: Asked) -> int:
    """Run a tool out of its artifact, and show what came of it."""
    from lua_cli.commands.session import build, current, project
    from lua_cli.commands.showing import show_result
    from lua_cli.runtime import forget_old, run_tool

    interactive = current().interactive and not asked.as_json
    if asked.name is None and not interactive:
        raise UsageError("--name is missing: which tool?", hint="lua test skill --name TOOL --input JSON")
    given = None if asked.input_text is None else read_input(asked.input_text)
    target = project()
    options = run_options(target, asked.env_file, asked.timeout, asked.sandbox, asked.network)
    options = replace(options, state=state_of(target.output, asked.user))
    compiled = build(target)
    chosen = _ask_for_tool(compiled) if asked.name is None else asked.name
    found = chosen_artifact(compiled, chosen, asked.skill)
    if found is None:
        return show_result(unknown_tool(chosen, compiled, asked.skill), asked.as_json)
    opened = found.open()
    if given is None:
        schema = next(tool["inputSchema"] for tool in opened.manifest["tools"] if tool["name"] == chosen)
        given = _ask_for_input(schema) if interactive else _no_input(chosen, schema)
    result = run_tool(opened, chosen, given, options)
    forget_old(options.cache, {artifact.digest for artifact in compiled.artifacts.values()})
    code = show_result(in_file(result, asked.input_text), asked.as_json)
    if not asked.sandbox:
        from lua_cli.commands.testing_ahead import keep_run

        keep_run(target, compiled, opened, asked, options)
    return code


def _ask_for_tool(compiled: Compiled) -> str:
    from lua_cli.commands.asking import choose_tool

    return choose_tool([(tool["name"], tool["description"] or "") for tool in compiled.document["tools"]])


def _ask_for_input(schema: dict[str, Any]) -> str:
    from lua_cli.commands.asking import ask_input

    return ask_input(schema)


def in_file(result: RunResult, input_text: str | None) -> RunResult:
    """A refusal of what stands in a file names the file."""
    error = result.error
    if error is None or error.type != "input-invalid" or not (input_text or "").startswith("@"):
        return result
    return replace(result, error=replace(error, message=f"{(input_text or '')[1:]}: {error.message}"))


def run_options(
    target: Project, env_file: Path | None, timeout: float, sandbox: bool = False, network: bool = False
) -> RunOptions:
    """How tools of the project run. Raises UsageError for flags that do not go together."""
    from lua_cli.runtime import RunOptions

    check_timeout(timeout)
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


def check_timeout(seconds: float) -> None:
    """Raises UsageError for seconds that are no limit."""
    if not 0 < seconds <= LONGEST:
        raise UsageError(f"--timeout {seconds:g}: seconds must be more than 0, and at most a day", hint="--timeout 30")


def state_of(output: Path, user: Path | None) -> State:
    """The end user of a file, and the data in the project's output. Raises NotFoundError, UsageError."""
    from lua_cli.runtime.state import DATABASE, State, read_user

    return State(read_user(user) if user is not None else None, output / DATABASE)


def chosen_artifact(compiled: Compiled, name: str, skill: str | None) -> BuiltArtifact | None:
    """The artifact that holds the tool. Raises UsageError when several skills have different tools of that name."""
    if skill is not None and skill not in compiled.artifacts:
        raise NotFoundError(f"no skill {skill!r}", hint="there are: " + ", ".join(sorted(compiled.artifacts)))
    holders = {
        holder: tool["class"] or tool["flow"]
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
    """There is no such tool, with the nearest names; the name of a skill is told as such."""
    from lua_cli.runtime import RunResult
    from lua_cli.runtime.running import not_found

    names = [tool["name"] for tool in compiled.document["tools"] if skill is None or skill in tool["skills"]]
    error = not_found(name, names, skill)
    own = next((one["tools"] for one in compiled.document["skills"] if one["name"] == name), None)
    if own is not None:
        error = replace(error, hint=f"{name!r} is a skill; its tools are: {', '.join(sorted(own)) or 'none'}")
    return RunResult(name, error=error)


def _no_input(name: str, schema: Mapping[str, Any]) -> str:
    """A tool without required fields takes {}; any other wants to be asked properly."""
    required = [field for field in schema.get("required") or [] if isinstance(field, str)]
    if not required:
        return "{}"
    known = schema.get("properties") or {}
    optional = [field for field in known if field not in required]
    more = f" (optional: {', '.join(optional)})" if optional else ""
    sample = ", ".join(f'"{field}": {_sample(known.get(field))}' for field in required)
    raise UsageError(
        f"--input is missing, and the tool requires {', '.join(required)}",
        hint=f"lua test skill --name {name} --input '{{{sample}}}'{more}",
    )


_SAMPLES = {"string": '"…"', "integer": "1", "number": "1.5", "boolean": "true", "array": "[]", "object": "{}"}


def _sample(field: object) -> str:
    """What a value of a field may look like."""
    import json

    if not isinstance(field, Mapping):
        return "…"
    for key in ("examples", "enum"):
        if isinstance(field.get(key), list) and field[key]:
            return json.dumps(field[key][0], ensure_ascii=False)
    return _SAMPLES.get(str(field.get("type")), "…")


def read_input(given: str) -> str | bytes:
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
        hint = "--input @FILE names a JSON file, from the folder that you are in"
        raise NotFoundError(f"--input: no such file {path}", hint=hint) from None
    except OSError as error:
        raise UsageError(f"--input: cannot read {path}: {error.strerror}") from error
