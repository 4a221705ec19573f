"""The words of an expression. In: CEL text. Out: `Token`s without comments and space, and what can be told from them:
calls, how often the message is named, keys that a map has twice. Compiles and evaluates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
    |(?P<text>(?:[bB]?[rR]|[rR][bB])(?:"{3}.*?"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*')
        |[bB]?(?:"{3}(?:\\.|[^\\])*?"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_LOOPS = frozenset(
    (
        "all", "exists", "exists_one", "existsOne", "map", "filter", "sortBy", "transformList", "distinct", "flatten",
        "contains", "equivalent", "intersects", "replace", "join", "sort", "indexOf", "lastIndexOf", "split", "matches",
    )
)  # fmt: skip
_UNBOUNDED = frozenset(("range", "regexExtract"))
_TEMPLATE = "templateResource"
_REFUSED = frozenset(("transformMap", "transformMapEntry"))
_MESSAGE = frozenset(("body", "vars"))


class Token(NamedTuple):
    """`kind` is text, word, number or sign; `at` is where it begins."""

    kind: str
    text: str
    at: int


class Reading(NamedTuple):
    """What the words of an expression say of its cost. `loops` walk over a list or a text once more; `mentions` is how
    often it names the message; `unbounded`: it may make values of any size. `refused` is a macro that the engine has
    and cannot run; `twice` a key that a map has before, as it is written. `templates` are
    the names, in quotes, of the templates that it renders; `surroundings`: it names `env` or renders a template.
    """

    loops: int = 0
    mentions: int = 0
    unbounded: bool = False
    refused: Token | None = None
    twice: Token | None = None
    templates: tuple[Token, ...] = ()
    surroundings: bool = False


def tokens(source: str) -> list[Token]:
    """The words of a text, whatever it is: what is no CEL comes as signs."""
    found = ((one.lastgroup or "", one[0], one.start()) for one in _TOKEN.finditer(source))
    return [Token(*one) for one in found if one[0] != "space"]


def read_words(source: str) -> Reading:
    """What there is to tell about an expression."""
    words = tokens(source)
    calls = [one for one, after in pairwise(words) if one.kind == "word" and after.text == "("]
    names = [one for before, one in zip([Token("", "", 0), *words], words, strict=False) if before.text != "."]
    return Reading(
        sum(one.text in _LOOPS for one in calls),
        sum(one.kind == "word" and one.text in _MESSAGE for one in names),
        any(one.text in _UNBOUNDED for one in calls)
        or (any(one.text == _TEMPLATE for one in calls) and any(one.text in _LOOPS for one in calls)),
        next((one for one in calls if one.text in _REFUSED), None),
        next(_twice(words), None),
        tuple(
            name
            for one, _, name, end in zip(words, words[1:], words[2:], words[3:], strict=False)
            if one in calls and one.text == _TEMPLATE and name.kind == "text" and end.text == ")"
        ),
        any(one.text == "env" for one in names) or any(one.text == _TEMPLATE for one in calls),
    )


def place_of(source: str, at: int) -> tuple[int, int]:
    """Line and column, from 1."""
    return source.count("\n", 0, at) + 1, at - source.rfind("\n", 0, at)


def _twice(words: list[Token]) -> Iterator[Token]:
    """Keys of maps that are there before. Only keys that are one literal: what others come to is not known here."""
    open_maps: list[set[str] | None] = []
    for before, one, after in zip([Token("", "", 0), *words], words, words[1:], strict=False):
        if one.text in ("{", "[", "("):
            open_maps.append(set() if one.text == "{" else None)
        elif one.text in ("}", "]", ")"):
            if open_maps:
                open_maps.pop()
        elif before.text in ("{", ",") and after.text == ":" and open_maps:
            keys = open_maps[-1]
            if keys is None or one.kind not in ("text", "number"):
                continue
            if one.text in keys:
                yield one
            keys.add(one.text)
