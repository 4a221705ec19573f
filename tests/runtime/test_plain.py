"""A quick yes is one that the validator gives, too; drawn schemas and values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lua_cli.probe.json_schema import SchemaProblemError
from lua_cli.runtime.checking import faults_of
from lua_cli.runtime.plain import plainly_fits

NAMES = st.sampled_from(["a", "b", "c", ""])
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object", "nonsense"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 1.5, "", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES) | st.just(["string", "null"]),
            "properties": st.dictionaries(NAMES, inner, max_size=3) | st.just([]),
            "required": st.lists(NAMES, max_size=3) | st.just("a"),
            "additionalProperties": st.booleans() | st.just({}),
            "items": inner | st.just(True),
            "title": st.sampled_from(["x", 1]),
            "examples": st.sampled_from([[], "x"]),
            "default": VALUES,
            "minimum": st.integers(-1, 1),
        },
    )


SCHEMAS = keywords(st.recursive(st.just({}), keywords, max_leaves=6))


@settings(max_examples=1500, deadline=None)
@given(SCHEMAS, VALUES)
def test_no_yes_that_the_validator_would_not_give(schema: dict[str, Any], value: Any) -> None:
    if not plainly_fits(schema, value):
        return
    try:
        faults = faults_of(schema, value)
    except SchemaProblemError as error:
        raise AssertionError(f"{schema} is no schema: {error.message}") from None
    assert faults == ()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object", "properties": {}}, {}),
        ({"type": "object", "properties": {"a": {"type": "string", "title": "A"}}, "required": ["a"]}, {"a": "x"}),
        ({"type": "object", "additionalProperties": False, "properties": {"n": {"type": "number"}}}, {"n": 1.5}),
        ({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}}}, {"l": [1, 2]}),
    ],
)
def test_plain_input_is_told(schema: dict[str, Any], value: Any) -> None:
    assert plainly_fits(schema, value)
