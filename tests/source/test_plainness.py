"""Lines that are said to hold no secret: no first look of the detectors matches in one of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from lua_cli.source import secrets
from lua_cli.source.plainness import holds_nothing_secret

LOOKS = [
    *(f"(?:{before}){look}" if before else look for _, look, before in secrets._FIRST_LOOKS),
    *(look for _, look in secrets._IN_ANY_CASE),
    *(look for _, _, look in secrets._FURTHER),
]


def lines(pattern: str) -> SearchStrategy[str]:
    around = st.text("ab 1_-.:='\"/@", max_size=8)
    matched = st.from_regex(secrets._pattern(pattern)).map(lambda found: found.replace("\n", " "))
    return st.tuples(around, matched, around).map("".join)


@pytest.mark.parametrize("pattern", LOOKS)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_what_a_first_look_matches_is_not_plain(pattern: str, data: st.DataObject) -> None:
    line = data.draw(lines(pattern))
    assert not (secrets.looks_like_one(line) or any(secrets._further(line))) or not holds_nothing_secret(line)


@pytest.mark.parametrize(
    "line",
    ["", "    return kept[:limit]  # the first ones", 'raise ValueError("no such order: {number}")'],
)
def test_ordinary_lines_are_plain(line: str) -> None:
    assert holds_nothing_secret(line)
