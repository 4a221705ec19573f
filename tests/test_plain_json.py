"""The short reader and writer of JSON say what `json` says."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lua_cli import plain_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(value=VALUES)
@settings(max_examples=300, deadline=None)
def test_values_are_written_and_read_as_json_does(value: Any) -> None:
    assert plain_json.dumps(value) == json.dumps(value)
    assert plain_json.dumps(value, ascii_only=False) == json.dumps(value, ensure_ascii=False)
    assert plain_json.dumps(value, compact=True) == json.dumps(value, separators=(",", ":"))
    for text in (json.dumps(value, indent=2), json.dumps(value)):
        assert plain_json.loads(text) == plain_json.loads(text.encode()) == value


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", "1 2", "nul", '{"a":1,}', '"\x01"', "[1]x", "\ufeff1", "'a'"])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        json.loads(text)
    with pytest.raises(ValueError):
        plain_json.loads(text)


@pytest.mark.parametrize("text", ["{", '{"a"', "[1", '"x', "[01]", '{"a":'])
def test_what_is_cut_off_is_a_value_error_without_json(text: str) -> None:
    code = f"""
from lua_cli.plain_json import loads
import sys
assert "json" not in sys.modules
try:
    loads({text!r})
except ValueError:
    print("none")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "none\n", done.stderr


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": -math.inf}])
def test_what_json_cannot_say_is_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError):
        plain_json.dumps(value)
    assert plain_json.loads("[Infinity, -Infinity]") == [math.inf, -math.inf]


def test_a_value_that_is_none_of_its_kinds_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        plain_json.dumps({"a": object()})


def test_without_the_part_in_c_json_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_json, "_c", None)
    value = {"é": [1, 2.5, None, "x"]}
    assert plain_json.loads(plain_json.dumps(value, compact=True, ascii_only=False)) == value
    assert plain_json.dumps(value) == json.dumps(value)
