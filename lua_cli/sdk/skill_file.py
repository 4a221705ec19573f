"""SKILL.md of the Agent Skills format (agentskills.io). In: its text. Out: the fields on top, with places, the body.

Lenient: a value that is no YAML (`description: Use when: …`) is taken as it stands. One reader for the compiler and for
a run, so that both see the same skill. Standard library only; reads no file, judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_FENCE = "---"
_KEY = re.compile(r"""(?P<key>"[^"]*"|'[^']*'|[^\s#:'"-][^:]*?)[ \t]*:(?:[ \t]+(?P<rest>.*))?$""")
_BLOCK = re.compile(r"[|>](?:[1-9][+-]?|[+-][1-9]?)?(?:[ \t]+#.*|[ \t]*)$")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t]*(?:[ \t]#.*)?$', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'[ \t]*(?:[ \t]#.*)?$", re.DOTALL)
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPES = dict(zip('0abtnvfre"/\\N_LP \t', '\0\a\b\t\n\v\f\r\x1b"/\\\x85\xa0\u2028\u2029 \t', strict=True))


class Field(NamedTuple):
    """A field: its text, and where that stands, from 1; the end is the column behind the last character."""

    value: str
    line: int
    column: int
    end_line: int
    end_column: int


class SkillFile(NamedTuple):
    """What a SKILL.md says.

    fields   by name, in order; of a name that is there twice, the first
    twice    the names that are there again, and the lines
    head     the text between the two `---`; None when the file does not begin with such a part
    body     the Markdown below
    """

    fields: Mapping[str, Field]
    twice: Sequence[tuple[str, int]]
    head: str | None
    body: str


def read_skill_file(text: str) -> SkillFile:
    """Read a SKILL.md."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE]
    if lines[0].rstrip() != _FENCE or not ends:
        return SkillFile({}, (), None, text)
    fields: dict[str, Field] = {}
    twice: list[tuple[str, int]] = []
    number, end = 1, ends[0]
    while number < end:
        found = _KEY.match(lines[number])
        first, number = number, number + 1
        if found is None:
            continue
        while number < end and (not lines[number].strip() or lines[number][0] in " \t"):
            number += 1
        key = found["key"].strip("\"'")
        if key in fields:
            twice.append((key, first + 1))
        else:
            fields[key] = _field(lines[first:number], first + 1, found)
    return SkillFile(fields, twice, "\n".join(lines[1:end]), "\n".join(lines[end + 1 :]).strip("\n"))


def _field(lines: list[str], line: int, found: re.Match[str]) -> Field:
    while len(lines) > 1 and not lines[-1].strip():
        lines = lines[:-1]
    start = found.start("rest") if found["rest"] is not None else len(lines[0])
    end = (line + len(lines) - 1, len(lines[-1].rstrip()) + 1)
    return Field(_value((found["rest"] or "").strip(), lines[1:]), line, start + 1, *end)


def _value(first: str, more: list[str]) -> str:
    """A scalar: in quotes, a block, or plain. Without spaces around it, which mean nothing in any field."""
    if _BLOCK.match(first):
        return (_folded if first[0] == ">" else "\n".join)(_dedented(more)).strip()
    whole = _joined([first, *more], quoted=first.startswith('"'))
    if double := _DOUBLE.match(whole):
        return _ESCAPE.sub(_unescaped, double[1].replace("\\\n", "")).strip()
    if single := _SINGLE.match(whole):
        return single[1].replace("''", "'").strip()
    if first.startswith("#"):
        first = ""
    return _joined([_COMMENT.sub("", line) if line.strip() else line for line in (first, *more)]).strip()


def _joined(lines: list[str], *, quoted: bool = False) -> str:
    """Lines of a plain or quoted scalar: a break is a space, an empty line a break. `quoted`: in double quotes."""
    text, breaks = lines[0].rstrip(), 0
    for line in lines[1:]:
        if not line.strip():
            breaks += 1
            continue
        escaped = quoted and (len(text) - len(text.rstrip("\\"))) % 2  # such a break is none
        glue = "\n" * breaks or ("\n" if escaped else " ")
        text, breaks = text + glue + line.strip(), 0
    return text


def _dedented(lines: list[str]) -> list[str]:
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return [line[indent:] if line.strip() else "" for line in lines]


def _folded(lines: list[str]) -> str:
    """A `>` block: breaks between lines are spaces, those around lines that are indented further stay."""
    text, breaks, further = "", 0, True
    for line in lines:
        if not line:
            breaks += 1
            continue
        deeper = line[0] in " \t"
        glue = "\n" * (breaks + 1) if further or deeper else "\n" * breaks or " "
        text, breaks, further = text + glue + line if text else line, 0, deeper
    return text


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPES.get(found[4], found[0])
    number = int(code, 16)
    return chr(number) if number < 0x110000 else found[0]
