"""The document of a build: what is written is JSON, and what does not change stays as it stood there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lua_cli.bundle.document import Document, written

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
PARTS = st.dictionaries(st.sampled_from(["version", "ok", "skills", "tools", "diagnostics"]), VALUES, min_size=1)


@given(parts=PARTS, new=PARTS)
@settings(max_examples=200, deadline=None)
def test_parts_are_read_and_replaced(parts: dict[str, Any], new: dict[str, Any]) -> None:
    content = b"".join(written(parts))
    document = Document(content)
    assert json.loads(content.decode("utf-8", "surrogatepass")) == document.whole() == parts
    assert document.content() == content
    assert document.with_parts(new).content() == b"".join(written({**parts, **new}))
    assert document.with_parts(new).whole() == {**parts, **new}


@pytest.mark.parametrize("content", [b"", b"{}", b"[\n]\n", b'{\n"a": 1\n}\n', b'{\n  "a": 1\n}', b"\xff"])
def test_what_was_written_by_something_else_is_none(content: bytes) -> None:
    with pytest.raises(ValueError):
        Document(content)
