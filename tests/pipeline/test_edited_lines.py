"""Edits that are told by their lines are those that the comparison of outlines tells, with the same places: drawn edits
of lines, most of them of bodies, with all that could ask for something, hide something or end a function early."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lua_cli.pipeline.bodies import same_outline
from lua_cli.pipeline.edited_lines import edited_body
from lua_cli.pipeline.moving import Moved
from lua_cli.source.function_bodies import bodies_of
from lua_cli.source.outline import outline
from lua_cli.source.parsing import parse
from lua_cli.source.reads import read
from tests.pipeline.shop import ORDERS, REFUNDS, WORDS

DRAWS = int(os.environ.get("LUA_EDITED_DRAWS", "400"))
PATHS = '''\
import os as system
from importlib import import_module as load
from os import environ as e, getenv
from pathlib import Path

HERE = Path(__file__).parent
RATES = HERE / "rates.json"


@staticmethod
def rates(name: str) -> str:
    """What they are."""
    return RATES.read_text()


class Shop:
    place = getenv("SHOP")

    def one(self):
        return e["ONE"]

    def two(self, x=lambda: 1):  # a comment
        # and one more
        def inner():
            yield 1
        for i in inner(): print(i)

        return 2

    async def three(self): return 3

    @property
    def four(self) -> int:
        """One line.""" ; x = 4
        return x


if system.name == "nt":
    def five():
        pass
else:
    def five():
        url = "http://localhost:1/"
        return url
'''
STEPS = """\
from shared.words import LIMIT


def first(rows):
    kept = [row for row in rows if row.get("score", 0) >= 0]
    kept.sort(key=lambda row: (-row.get("score", 0), row.get("id", "")))
    return kept[:LIMIT]


class Steps:
    def second(self, rows):
        \"\"\"Keeps some.\"\"\"
        for row in rows:
            if row:
                self.kept.append(row)
        return self.kept

    async def third(self):

        # the last one

        return await self.second([])
"""
SOURCES = [ORDERS, REFUNDS, WORDS, PATHS, STEPS, STEPS, STEPS]
PLAINLY = ["", "# why", "x = 1  # why", "return 1", "print(i); print(2)", "raise ValueError(input)", "é = 'ü'", "x: int",
           "kept = [1, 2]", "x = 'a' 'b'", "assert x, 'why'", "pass"]  # fmt: skip
LINES = [
    "", "    ", "        pass", "        return 1", "    return 1", "return 1", "        x = 1  # why", "        # lua: ignore",
    '        """', "        '''", '        x = """a', '        b"""', "        import json", "        from os import path",
    '        env("MORE")', '        e["TWO"]', '        load("json")', "        yield 1", "        global LIMIT",
    "        super().one()", "        __class__", "    def other(self):", "def other():", "class Other:", "        def f(): pass",
    '        open("x.csv")', '        RATES.open()', '        Path("x.csv").read_text()', '        "/home/me/x"',
    '        "http://127.0.0.1/"', "        x = (", "        )", "        x = [", "        ]", "        \\", "        if x:",
    "            y = 2", "        else:", '        key = "sk-ant-api03-J9xLq2mVt7Rb4Wz8KcYdNf3H"', "    @property",
    "        await x", "        return", "        lambda: (yield)", "        x: int", "        nonlocal x", "\t\tx = 1",
    "        é = 'ü'", "        x = 'a' 'b'", "        HERE", "        system.environ", "        f'{x}' # {", "    # out",
    "        print(i); print(2)", "        environ", "        type X = int", "        match x:", "            case 1: pass",
    "        os.environ['A']", "        raise ValueError(input)", '        """A docstring."""', "        x = 'it''s' # pragma: allowlist secret",
]  # fmt: skip


def row_of(text: str, kept: list[int]) -> dict[str, Any]:
    tree = parse(text)
    found = outline(text, bodies_of(tree, text), read(tree, text), kept)
    places = {"blanks": [list(b) for b in found.blanks], "inside": [list(p) for p in found.inside]}
    return {"outline": found.digest, "kept": kept, **places, "members": []}


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, list[int]]:
    """A source, an edit of some of its lines, and the bodies that somebody looked into."""
    text = draw(st.sampled_from(SOURCES))
    lines = text.split("\n")
    bodies = bodies_of(parse(text), text)
    body = draw(st.sampled_from(bodies))
    first = draw(st.integers(max(1, body.first - 1), body.end + 1))
    last = draw(st.integers(first - 1, min(body.end + 1, first + 3)))
    drawn = draw(st.lists(st.sampled_from(draw(st.sampled_from([LINES, PLAINLY, PLAINLY]))), max_size=3))
    if draw(st.integers(0, 3)):  # most of them in place
        depth = next((len(line) - len(line.lstrip()) for line in lines[body.first - 1 : body.end] if line.strip()), 4)
        drawn = [" " * depth + line.strip() for line in drawn]
    edited = "\n".join([*lines[: first - 1], *drawn, *lines[last:]])
    kept = draw(st.lists(st.integers(0, len(bodies) - 1), max_size=2, unique=True))
    return text, edited, sorted(kept)


def spelled(row: Any, moved: Moved) -> Any:
    plain = {name: [list(one) for one in row[name]] for name in ("blanks", "inside")}
    lines = [_line(moved, number) for number in range(1, 60)]
    return {**row, **plain}, moved.is_still, lines


def _line(moved: Moved, number: int) -> Any:
    try:
        return moved.line(number)
    except Exception as error:
        return type(error).__name__


@given(edit=edits())
@settings(max_examples=DRAWS, deadline=None)
def test_what_lines_tell_is_what_outlines_tell(edit: tuple[str, str, list[int]]) -> None:
    text, edited, kept = edit
    row = row_of(text, kept)
    told = edited_body(text.encode(), edited.encode(), row)
    if told is not None:
        thorough = same_outline(edited.encode(), row)
        assert thorough is not None, "the outline is another one"
        assert spelled(*told) == spelled(*thorough)


PLAIN = [
    ("the only line", WORDS, "    return f\"{text}, as it stands in the letter\"", "    return text"),
    ("one of two", WORDS, "    return louder", "    return louder + '!'"),
    ("one more", WORDS, "    return louder", "    louder += '!'\n    return louder"),
    ("one less", WORDS, "    louder = text.upper()\n    return louder", "    return text.upper()"),
    ("a comment", ORDERS, "    return list(range(many))", "    # all of them\n    return list(range(many))"),
    ("before what asks", PATHS, "        # and one more", "        # and\n        # one more"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new"), [one[1:] for one in PLAIN], ids=[one[0] for one in PLAIN])
def test_most_edits_are_told_by_their_lines(text: str, old: str, new: str) -> None:
    assert old in text
    edited = text.replace(old, new, 1)
    row = row_of(text, [])
    told, thorough = edited_body(text.encode(), edited.encode(), row), same_outline(edited.encode(), row)
    assert told is not None and thorough is not None
    assert spelled(*told) == spelled(*thorough)
