"""Transcripts that were saved: read, turned into a script of the model, compared with another run of the same.

In: a file that `/save`, `--save` or `lua chat --json` wrote. Out: its lines, what the user said, the model's turns,
differences in words. Starts nothing, calls no model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.records import record
from lua_cli.runtime.turns.model import Entry

_KINDS = ("user", "gate", "prompt", "model", "tool", "answer", "refused", "exhausted", "cancelled")
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


def _is_line(line: Any) -> bool:
    if not isinstance(line, dict) or line.get("type") not in _KINDS:
        return False
    texts = {"user": ("text",), "model": ("text",), "answer": ("text",), "tool": ("name",), "prompt": ("system",)}
    if not all(isinstance(line.get(key), str) for key in texts.get(line["type"], ())):
        return False
    calls = line.get("toolCalls", [])
    return isinstance(calls, list) and all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in calls)


def _turn(line: Mapping[str, Any]) -> dict[str, Any]:
    if "refusal" in line:
        return {"refusal": line["refusal"] or True}
    calls = [{"name": call["name"], "arguments": call.get("arguments", {})} for call in line.get("toolCalls", ())]
    if not calls:
        return {"text": line["text"]}
    return {**({"text": line["text"]} if line["text"] else {}), "toolCalls": calls}


def differences(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is not the same in two runs of one conversation, a line each; empty when they are equal in all that
    counts."""
    old, new = ([line for line in lines if line["type"] in _COUNTS] for lines in (before, now))
    found = []
    for one, other in zip(old, new, strict=False):
        if one["type"] != other["type"] or one.get("name") != other.get("name"):
            found.append(f"{_called(one)} came before, and now {_called(other)}")
            return found
        found += [
            f"{_called(one)}: {key} was {_short(one.get(key))} and is {_short(other.get(key))}"
            for key in _COUNTS[one["type"]]
            if one.get(key) != other.get(key)
        ]
    found += [f"{_called(line)} is no longer there" for line in old[len(new) :]]
    found += [f"{_called(line)} is new" for line in new[len(old) :]]
    return found


def _called(line: Mapping[str, Any]) -> str:
    return f"{line['type']} {line['name']}" if "name" in line else str(line["type"])


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:159]}…"
