"""Words in texts: the same as one pattern with a boundary on each side finds, by many drawn texts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lua_cli.source.words import Words

WORDS = ("env", "environ", "open", "__file__", "run")
PIECES = st.sampled_from([*WORDS, "_", "x", "é", "1", " ", "\n", ".", "(", "getenv", "Env"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_words_are_found_where_the_boundaries_of_a_pattern_find_them(text: str) -> None:
    pattern = re.compile(rf"\b(?:{'|'.join(WORDS)})\b")
    assert Words(WORDS).places_in(text) == [match.start() for match in pattern.finditer(text)]
    assert Words(WORDS).stand_in(text) == bool(pattern.search(text))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_what_follows_a_word_may_be_asked_for(text: str) -> None:
    after = r"\s*\("
    pattern = re.compile(rf"\b(?:{'|'.join(WORDS)}){after}")
    assert Words(WORDS, after).places_in(text) == [match.start() for match in pattern.finditer(text)]
