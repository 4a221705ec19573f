"""Cases for the choice of tools: a conversation, and what the model must have done. In: YAML nodes; later a transcript.
Out: a `TurnCase`; later what differs, in words. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.records import field, record
from lua_cli.runtime.expecting import MATCHERS, subset_differences
from lua_cli.runtime.turns.model import LOAD_SKILL, Entry

if TYPE_CHECKING:
    from lua_cli.runtime.casefile import Reader
    from lua_cli.source.yaml_text import Node

KEYS = ("name", "agent", "say", "user", "channel", "env", "timeout", "http", "script", "expect")
_EXPECT = ("tools", "forbidden", "skills", "answer", "refused")
_CHANNELS = ("text", "voice")


@record(frozen=True)
class Wanted:
    """What must have happened, in the whole conversation.

    tools      calls in this order, others may stand between: (name, arguments as a subset)
    forbidden  tools that must not have been called
    skills     documents that must have been loaded
    answer     matchers for the last answer; None: any
    refused    the model must have refused at the end
    """

    tools: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    forbidden: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    answer: Mapping[str, Any] | None = None
    refused: bool = False


@record(frozen=True)
class TurnCase:
    """A conversation to play. `script`: turns of the model, or the file that they are in; None: a real model."""

    agent: str | None
    say: tuple[str, ...]
    channel: str = "text"
    script: tuple[Mapping[str, Any], ...] | Path | None = None
    wanted: Wanted = field(default_factory=Wanted)


def read_turns(reader: Reader, node: Node, folder: Path) -> TurnCase:
    """The conversation of a case. Raises UsageError."""
    values = node.value
    say = values["say"]
    texts = [reader.text(item) for item in say.elements] if isinstance(say.value, tuple) else [reader.text(say)]
    channel = reader.text(values["channel"]) if "channel" in values else "text"
    if channel not in _CHANNELS:
        raise reader.refuse(values["channel"], f"there is no channel {channel!r}", f"one of {', '.join(_CHANNELS)}")
    return TurnCase(
        agent=reader.text(values["agent"]) if "agent" in values else None,
        say=tuple(texts),
        channel=channel,
        script=read_script(reader, values["script"], folder) if "script" in values else None,
        wanted=_wanted(reader, values["expect"]) if "expect" in values else Wanted(),
    )


def read_script(reader: Reader, node: Node, folder: Path) -> tuple[Mapping[str, Any], ...] | Path:
    """The model's turns, or the file that has them. Raises UsageError."""
    from lua_cli.sdk.scripted import ScriptedModel, ScriptError

    if isinstance(node.value, str) and node.value:
        return folder / node.value
    if not isinstance(node.value, tuple):
        raise reader.refuse(node, "`script` is a list of the model's turns, or the name of a file with them")
    turns = reader.anything(node)
    try:
        return tuple(ScriptedModel(turns).turns)
    except ScriptError as error:
        number = error.path.split("/")[1]
        raise reader.refuse(node.elements[int(number)], f"{error.path}: {error.message}") from None


def _wanted(reader: Reader, node: Node) -> Wanted:
    reader.known(node, _EXPECT, "`expect` of a conversation")
    values = node.value
    return Wanted(
        tools=tuple(_tool(reader, item) for item in _list(reader, values.get("tools"), "tools")),
        forbidden=tuple(reader.text(item) for item in _list(reader, values.get("forbidden"), "forbidden")),
        skills=tuple(reader.text(item) for item in _list(reader, values.get("skills"), "skills")),
        answer=_answer(reader, values["answer"]) if "answer" in values else None,
        refused=bool(values["refused"].value) if "refused" in values else False,
    )


def _list(reader: Reader, node: Node | None, name: str) -> Sequence[Node]:
    if node is None:
        return ()
    if not isinstance(node.value, tuple):
        raise reader.refuse(node, f"`{name}` is a list")
    return node.elements


def _tool(reader: Reader, node: Node) -> tuple[str, Mapping[str, Any]]:
    """A name, or {name, arguments}."""
    if isinstance(node.value, str):
        return reader.text(node), {}
    reader.known(node, ("name", "arguments"), "an expected tool")
    if "name" not in node.value:
        raise reader.refuse(node, "the expected tool has no `name`")
    arguments = node.value.get("arguments")
    if arguments is not None and not isinstance(arguments.value, dict):
        raise reader.refuse(arguments, "`arguments` is a mapping, of those that count")
    return reader.text(node.value["name"]), {} if arguments is None else reader.anything(arguments)


def _answer(reader: Reader, node: Node) -> Mapping[str, Any]:
    """Matchers; a text alone is one that the answer contains."""
    if isinstance(node.value, str):
        return {"contains": reader.text(node)}
    reader.known(node, MATCHERS, "`answer`")
    for name, given in node.items():
        problem = MATCHERS[name].problem(given.plain())
        if problem:
            raise reader.refuse(given, f"`{name}` {problem}")
    found: Mapping[str, Any] = reader.anything(node)
    return found


def turn_differences(wanted: Wanted, transcript: Sequence[Entry], status: str, answer: str) -> Iterator[str]:
    """What is not as wanted, a line each."""
    calls = [entry.facts for entry in transcript if entry.kind == "tool"]
    yield from _order(wanted.tools, [call for call in calls if call["name"] != LOAD_SKILL])
    for name in wanted.forbidden:
        if any(call["name"] == name for call in calls):
            yield f"{name} was called, and must not be"
    loaded = [call["arguments"].get("name") for call in calls if call["name"] == LOAD_SKILL and "error" not in call]
    for name in wanted.skills:
        if name not in loaded:
            yield f"the skill {name} was not loaded" + (f"; loaded were {', '.join(loaded)}" if loaded else "")
    if wanted.refused != (status == "refused"):
        yield "the model did not refuse" if wanted.refused else f"the model refused: {answer}".removesuffix(": ")
    elif status == "exhausted":
        yield "the agent ran out of iterations"
    elif wanted.answer is not None:
        for name, given in wanted.answer.items():
            problem = MATCHERS[name].check(answer, given)
            if problem:
                yield f"the answer {problem}"


def _order(tools: Sequence[tuple[str, Mapping[str, Any]]], calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    position = 0
    for name, arguments in tools:
        same = [number for number in range(position, len(calls)) if calls[number]["name"] == name]
        fitting = [number for number in same if not list(subset_differences(arguments, calls[number]["arguments"]))]
        if fitting:
            position = fitting[0] + 1
        elif same:
            for line in subset_differences(arguments, calls[same[0]]["arguments"]):
                yield f"{name} was called with other arguments: {line}"
        else:
            called = ", ".join(call["name"] for call in calls) or "nothing"
            late = " in this order" if any(call["name"] == name for call in calls) else ""
            yield f"{name} was not called{late}; called were: {called}"
