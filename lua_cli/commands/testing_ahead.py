"""`lua test skill` of an unchanged project: the tool's process is begun first, and what it is asked, how its answer is
read and all the rest is loaded while it starts.

In: the flags, what was kept of an earlier run. Out: the exit code, or None: then the long way does it, and keeps what
it did. What happens after the child is begun is the same code as on the long way.
"""

from __future__ import annotations

import sys

from lua_cli.errors import EXIT_OK, LuaError

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.child.begin import Begun
    from lua_cli.commands.testing import Asked
    from lua_cli.pipeline import Compiled
    from lua_cli.pipeline.at_once import Known
    from lua_cli.project import Project
    from lua_cli.runtime import RunOptions
    from lua_cli.runtime.ahead import Ahead

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_LONGEST = 64


def run_ahead(argv: list[str], given: Mapping[str, str], known: Known) -> int | None:
    """Run the tool. Nothing has happened where this gives None."""
    name = answer_name(given.get("name"), given.get("skill"))
    kept = known.answer(name) if name is not None else None
    if kept is None or "input_text" not in given or "sandbox" in given or "network" in given:
        return None
    from lua_cli.child.environment import declared_values
    from lua_cli.pipeline.at_once import holds
    from lua_cli.runtime.ahead import Ahead

    try:
        float(given.get("timeout", "1"))
        about, _, text = kept.partition("\n")
        ahead = Ahead(text)
        if about != name or not ahead.holds(holds):
            return None
        values = None
        if ahead.env:
            from pathlib import Path

            file = Path(given["env_file"]) if "env_file" in given else None
            values = declared_values(ahead.env, Path(known.root), env_file=file)
        begun = ahead.begin(values or {})
    except (LuaError, OSError, ValueError):  # the long way finds the same, and says it
        return None
    return _see(argv, given, known.root, ahead, begun, values)


def answer_name(tool: str | None, skill: str | None) -> str | None:
    """Under which name the run of a tool is kept; None for names that cannot be a file's."""
    for name in (tool, "" if skill is None else skill):
        if name is None or not _NAME.issuperset(name) or len(name) > _LONGEST:
            return None
    return f"test-{tool}" if skill is None else f"test-{tool}@{skill}"


def _see(
    argv: list[str], given: Mapping[str, str], root: str, ahead: Ahead, begun: Begun, values: Mapping[str, str] | None
) -> int:
    """Go on with the child: a plain run on the shortest way, any other as always."""
    from lua_cli.runtime.ahead import remove_folder, run_plainly, said_plainly

    usual = values is None and not {"timeout", "env_file", "user"} & given.keys()
    seen: dict[str, Any] | None = None
    try:
        import json
        from time import monotonic

        facts, text = json.loads(ahead.facts), given["input_text"]
        if usual and text != "-" and not text.startswith("@"):
            seen = run_plainly(begun, facts, text, root)
        if seen is None:
            return _go_on(argv, given, root, facts, begun, values)
        seconds = monotonic() - begun.since
        said = said_plainly(seen)
        if said is None:
            return _put_in_words(argv, given, root, facts, begun, {**seen, "seconds": seconds})
    finally:
        remove_folder(begun.folder)
    from lua_cli.commands.json_text import json_text
    from lua_cli.runtime.request import read_answer, success

    output = read_answer(said)
    whole = success(given["name"], output, round(seconds * 1000), "") if "as_json" in given else output
    sys.stdout.write(json_text(whole))
    return EXIT_OK


def _go_on(
    argv: list[str],
    given: Mapping[str, str],
    root: str,
    facts: Mapping[str, Any],
    begun: Begun,
    values: Mapping[str, str] | None,
) -> int:
    """The ordinary way, with a child that was begun already."""
    from pathlib import Path

    from lua_cli.child.environment import declared_values
    from lua_cli.commands.session import begin
    from lua_cli.commands.showing import show_result
    from lua_cli.commands.testing import asked_of, in_file, read_input
    from lua_cli.runtime.prepared import read_prepared
    from lua_cli.runtime.running import run_prepared

    try:
        begin(argv)
        asked, text = asked_of(given), read_input(given["input_text"])
        options, prepared = _options(facts, Path(root), asked), read_prepared(facts)
        if values is None:
            values = declared_values(prepared.env, options.project, env_file=asked.env_file)
    except BaseException:
        begun.drop()
        raise
    result = run_prepared(prepared, text, values, options, begun)
    return show_result(in_file(result, asked.input_text), asked.as_json)


def _put_in_words(
    argv: list[str], given: Mapping[str, str], root: str, facts: Mapping[str, Any], begun: Begun, seen: dict[str, Any]
) -> int:
    """The ordinary end of a plain run."""
    from pathlib import Path

    from lua_cli.child.launch import Ended, read_trace
    from lua_cli.commands.session import begin
    from lua_cli.commands.showing import show_result
    from lua_cli.commands.testing import asked_of
    from lua_cli.runtime.prepared import read_prepared
    from lua_cli.runtime.request import read_input
    from lua_cli.runtime.running import in_words

    begin(argv)
    asked = asked_of(given)
    ended = Ended(**seen, trace=read_trace(Path(begun.folder, "trace")))
    options = _options(facts, Path(root), asked)
    result = in_words(ended, read_prepared(facts), {}, options, read_input(given["input_text"]))
    return show_result(result, asked.as_json)


def _options(facts: Mapping[str, Any], root: Path, asked: Asked) -> RunOptions:
    """As `testing.run_options` has them. Raises UsageError, NotFoundError."""
    from pathlib import Path

    from lua_cli.commands.testing import check_timeout, state_of
    from lua_cli.runtime import RunOptions

    check_timeout(asked.timeout)
    output = root / ".lua"
    return RunOptions(
        interpreter=Path(facts["interpreter"]),
        cache=output / "cache" / "unpacked",
        project=root,
        roots=tuple(map(Path, facts["roots"])),
        timeout=asked.timeout,
        env_file=asked.env_file,
        packages=tuple(map(Path, facts["packages"])),
        state=state_of(output, asked.user),
    )


def keep_run(target: Project, compiled: Compiled, opened: OpenedArtifact, asked: Asked, options: RunOptions) -> None:
    """Remember how the tool was run, for the next time."""
    from pathlib import Path

    from lua_cli.child.environment import declared_values
    from lua_cli.pipeline.keeping import keep_answer, stamps_of
    from lua_cli.runtime.prepared import prepare, written

    name = answer_name(asked.name, asked.skill)
    tool = next((tool for tool in opened.manifest["tools"] if tool["name"] == asked.name), None)
    if name is None or tool is None or "flow" in tool:
        return
    prepared = prepare(opened, tool, options)
    stamps = stamps_of(Path(prepared.folder), target.root / ".env")
    try:
        declared_values(prepared.env, target.root)  # whether that file can be read is known from here on
    except LuaError:
        return
    text = None if stamps is None else written(prepared, options, stamps)
    if text is not None:
        keep_answer(target, name, f"{name}\n{text}", compiled.document)
