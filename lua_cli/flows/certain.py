"""What an expression gets wrong whatever the message is. In: an expression. Out: faults, with offsets in its text.

Numbers of JSON are doubles, and CEL has no operator for a double and an integer: `body.days * 12` never works. And an
expression whose type is known before it runs is of no use where another type is needed. Evaluates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lua_cli.flows.cel import Expression
from lua_cli.flows.cel_text import Token, tokens

_NONE = Token("", "", -1)
_OPERATORS, _ROOTS = ("+", "-", "*", "/", "%"), ("body", "vars")
_INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uU]?")
_NAMED = {
    "BOOL": "a boolean", "INT": "an integer", "UINT": "an integer", "DOUBLE": "a number", "STRING": "a text",
    "BYTES": "bytes", "NULL": "null", "TIMESTAMP": "a time", "DURATION": "a duration", "LIST": "a list", "MAP": "a map",
    "TYPE": "a type",
}  # fmt: skip
# What becomes a text when it is used: times, durations, bytes and types are written out.
_FITS = {"bool": ("BOOL",), "list": ("LIST",), "key": ("STRING", "BYTES", "TIMESTAMP", "DURATION", "TYPE")}
_NEEDED = {"bool": "true or false", "list": "a list", "key": "a text"}


class Fault(NamedTuple):
    """`at` and `size` say where; `message` what; `hint` what to type instead."""

    at: int
    size: int
    message: str
    hint: str


class _Operand(NamedTuple):
    """A path of the message, or an integer literal: words `first` to `last`."""

    first: int
    last: int


def mixed_numbers(source: str) -> Iterator[Fault]:
    """Integers in arithmetic with a value of the message."""
    words = tokens(source)
    paths = [path for at in range(len(words)) if (path := _path(words, at)) is not None]
    begins, ends = {one.first: one for one in paths}, {one.last: one for one in paths}
    said: set[int] = set()
    for at, word in enumerate(words):
        if word.kind != "sign" or word.text not in _OPERATORS or _is_unary(words, at):
            continue
        before, after = _literal_before(words, at), _literal_after(words, at)
        if after is not None and at - 1 in ends and after.last not in said:
            said.add(after.last)
            yield _fault(source, words, ends[at - 1].first, after, after.last)
        elif before is not None and at + 1 in begins and before.last not in said:
            said.add(before.last)
            yield _fault(source, words, before.first, before, begins[at + 1].last)


def wrong_type(expression: Expression, needed: str, what: str) -> Fault | None:
    """An expression that cannot be what is `needed` (bool, list or key); None where it can, or nobody knows."""
    try:
        kind = str(expression.program.return_type().name()).partition("<")[0]
    except RuntimeError:  # a map whose keys are maps has no type that the engine can say
        return None
    if kind not in _NAMED or kind in _FITS[needed]:
        return None
    lead = len(expression.source) - len(expression.source.lstrip())
    size = len(expression.source.strip().partition("\n")[0])
    message = f"{what} must be {_NEEDED[needed]}, and this is {_NAMED[kind]} whatever the message is"
    return Fault(lead, size, message, _way_out(expression.source.strip(), kind, needed))


def _way_out(source: str, kind: str, needed: str) -> str:
    if needed == "bool":
        zero = {"INT": "0", "UINT": "0u", "DOUBLE": "0.0"}.get(kind)
        return f"compare it: {source} > {zero}" if zero else 'write a condition: true, or body.status == "open"'
    if needed == "list":
        return f"write a list: [{source}]" if len(source) < 30 else "write a list: [1, 2], or body.items"
    return (
        f'a text has quotes within: "{source}"'
        if re.fullmatch(r"[\w.-]+", source)
        else f"make it one: string({source})"
    )


def _path(words: Sequence[Token], at: int) -> _Operand | None:
    """`body.a.b` that begins at a word: no call, no index, no variable of a macro."""
    word, before = words[at], words[at - 1] if at else _NONE
    if word.kind != "word" or word.text not in _ROOTS or before.text == ".":
        return None
    last = at
    while _text(words, last + 1) == "." and last + 2 < len(words) and words[last + 2].kind == "word":
        last += 2
    if _text(words, last + 1) in ("(", "[", ".", "{") or _is_bound(words, word.text):
        return None
    return _Operand(at, last)


def _is_bound(words: Sequence[Token], name: str) -> bool:
    """Whether a macro may have a variable of that name: `list.map(body, …)`."""
    return any(
        one.text == "(" and two.text == name and three.text == ","
        for one, two, three in zip(words, words[1:], words[2:], strict=False)
    )


def _is_unary(words: Sequence[Token], at: int) -> bool:
    before = words[at - 1] if at else _NONE
    return before.kind not in ("word", "number", "text") and before.text not in (")", "]", "}")


def _literal_before(words: Sequence[Token], at: int) -> _Operand | None:
    """An integer that ends before a word. Of `1e-3` and `.5` the last digits are none."""
    word = words[at - 1]
    if word.kind != "number" or not _INTEGER.fullmatch(word.text):
        return None
    if (at >= 2 and words[at - 2].text == ".") or _is_exponent(words, at - 2):
        return None
    return _Operand(at - 1, at - 1)


def _literal_after(words: Sequence[Token], at: int) -> _Operand | None:
    """An integer that begins after a word, with its sign."""
    last = at + 2 if _text(words, at + 1) == "-" else at + 1
    if last >= len(words) or words[last].kind != "number" or not _INTEGER.fullmatch(words[last].text):
        return None
    return _Operand(at + 1, last)


def _is_exponent(words: Sequence[Token], sign: int) -> bool:
    if sign < 1 or words[sign].text not in ("+", "-"):
        return False
    number = words[sign - 1]
    adjacent = number.at + len(number.text) == words[sign].at
    return number.kind == "number" and adjacent and re.fullmatch(r"[\d.]+[eE]", number.text) is not None


def _text(words: Sequence[Token], at: int) -> str:
    return words[at].text if at < len(words) else ""


def _fault(source: str, words: Sequence[Token], first: int, literal: _Operand, last: int) -> Fault:
    """`first` and `last` are the words of the whole operation."""
    number = words[literal.last]
    shown = " ".join(source[words[first].at : words[last].at + len(words[last].text)].split())
    message = f"`{shown}` fails whatever the message is: its numbers are doubles, and {number.text} is an integer"
    hint = f"write `{_as_double(number.text)}`"
    if "%" in {word.text for word in words[first : last + 1]}:
        message = f"`{shown}` fails whatever the message is: its numbers are doubles, and `%` takes integers alone"
        hint = "make it one: int(…)"
    return Fault(number.at, len(number.text), message, hint)


def _as_double(number: str) -> str:
    digits = number.rstrip("uU")
    return f"{int(digits, 16)}.0" if digits[:2] in ("0x", "0X") else f"{digits}.0"
