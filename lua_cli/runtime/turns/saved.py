"""Transcripts that were saved: read, turned into a script of the model, compared with another run of the same.

In: a file that `/save`, `--save` or `lua chat --json` wrote. Out: its lines, what the user said, the model's turns,
differences in words. Starts nothing, calls no model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.records import record
from lua_cli.runtime.state import problem_of_user
from lua_cli.runtime.turns.model import Entry

if TYPE_CHECKING:
    from lua_cli.runtime.state import EndUser

_KINDS = ("conversation", "user", "gate", "prompt", "model", "tool", "answer", "refused", "exhausted", "cancelled")
_SHOWN = 160
_HINT = "a transcript is what `/save FILE`, `lua chat --save FILE` or `lua chat --json` writes"
_COUNTS = {  # what has to be the same in another run: not times, numbers of calls, tokens, what a tool printed
    "user": ("text",),
    "gate": ("kind", "name", "open", "reason"),
    "prompt": ("system", "tools"),
    "tool": ("name", "arguments", "result", "error"),
    "answer": ("text",),
    "refused": ("text",),
}


@record(frozen=True)
class Transcript:
    """A saved transcript: its lines as JSON, from the file `name`."""

    name: str
    lines: tuple[Mapping[str, Any], ...]

    @property
    def settings(self) -> tuple[Mapping[str, Any], ...]:
        """Where the conversation took place and with whom: "agent", "channel", "user"; more than one when that changed
        on the way. Empty for transcripts that do not say.
        """
        return tuple(line for line in self.lines if line["type"] == "conversation")

    @property
    def said(self) -> tuple[str, ...]:
        """What the user said, turn by turn."""
        return tuple(line["text"] for line in self.lines if line["type"] == "user")

    def turns(self) -> list[dict[str, Any]]:
        """The model's answers, as a script plays them."""
        return [_turn(line) for line in self.lines if line["type"] == "model"]

    def entries(self) -> Iterator[Entry]:
        """The lines as they were when they were written."""
        for line in self.lines:
            facts = {key: value for key, value in line.items() if key not in ("type", "durationMs")}
            yield Entry(line["type"], facts, line.get("durationMs"))


def read_transcript(path: Path) -> Transcript:
    """The transcript in a file. Raises NotFoundError, UsageError."""
    try:
        given = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise NotFoundError(f"no such transcript: {path}", hint=_HINT) from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON", hint=_HINT) from None
    lines = lines_of(given)
    if lines is None:
        raise UsageError(f"{path} is no transcript", hint=_HINT)
    return Transcript(path.name, lines)


def lines_of(given: Any) -> tuple[Mapping[str, Any], ...] | None:
    """The lines, when this JSON value is a transcript or the document that `lua chat --json` prints; else None."""
    lines = given.get("transcript") if isinstance(given, dict) else given
    if not isinstance(lines, list) or not lines or not all(map(_is_line, lines)):
        return None
    return tuple(lines)


def setting(agent: str, channel: str, user: EndUser | None) -> Entry:
    """The line that says where a conversation takes place and with whom."""
    who = None if user is None else {"id": user.id, "data": dict(user.data)}
    return Entry("conversation", {"agent": agent, "channel": channel, "user": who})


def _is_line(line: Any) -> bool:
    if not isinstance(line, dict) or line.get("type") not in _KINDS:
        return False
    texts = {"user": ("text",), "model": ("text",), "answer": ("text",), "tool": ("name",), "prompt": ("system",)}
    if not all(isinstance(line.get(key), str) for key in texts.get(line["type"], ())):
        return False
    if line["type"] == "conversation" and not _is_setting(line):
        return False
    calls = line.get("toolCalls", [])
    return isinstance(calls, list) and all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in calls)


def _is_setting(line: Mapping[str, Any]) -> bool:
    user = line.get("user")
    return isinstance(line.get("channel"), str) and (user is None or problem_of_user(user) is None)


def _turn(line: Mapping[str, Any]) -> dict[str, Any]:
    if "refusal" in line:
        return {"refusal": line["refusal"] or True}
    calls = [{"name": call["name"], "arguments": call.get("arguments", {})} for call in line.get("toolCalls", ())]
    if not calls:
        return {"text": line["text"]}
    return {**({"text": line["text"]} if line["text"] else {}), "toolCalls": calls}


def differences(
    before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], *, whole: bool = True
) -> list[str]:
    """What is not the same in two runs of one conversation, a line each; empty when they are equal in all that
    counts. What is missing at the end counts only when `now` is the `whole` run.
    """
    old, new = ([line for line in lines if line["type"] in _COUNTS] for lines in (before, now))
    found = []
    for one, other in zip(old, new, strict=False):
        if one["type"] != other["type"] or one.get("name") != other.get("name"):
            found.append(f"{_called(one)} came before, and now {_called(other)}")
            return found
        found += [
            f"{_called(one)}: {key} {_changed(one.get(key), other.get(key))}"
            for key in _COUNTS[one["type"]]
            if one.get(key) != other.get(key)
        ]
    found += [f"{_called(line)} is no longer there" for line in old[len(new) :] if whole]
    found += [f"{_called(line)} is new" for line in new[len(old) :]]
    return found


def _called(line: Mapping[str, Any]) -> str:
    return f"{line['type']} {line['name']}" if "name" in line else str(line["type"])


def _changed(one: Any, other: Any) -> str:
    """What it was and is; of long texts the place where they part."""
    before, now = json.dumps(one, ensure_ascii=False), json.dumps(other, ensure_ascii=False)
    if len(before) <= _SHOWN and len(now) <= _SHOWN:
        return f"was {before} and is {now}"
    texts = isinstance(one, str) and isinstance(other, str)
    before, now = (one, other) if texts else (before, now)
    at = next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), min(len(before), len(now)))
    line, column = before.count("\n", 0, at) + 1, at - (before.rfind("\n", 0, at) + 1) + 1
    return f"was {_around(before, at)} and is {_around(now, at)}, from line {line}, column {column} on"


def _around(text: str, at: int) -> str:
    """The text around a place, in quotes."""
    begin, end = max(0, at - _SHOWN // 4), at + _SHOWN * 3 // 4
    part = f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"
    return json.dumps(part, ensure_ascii=False)
