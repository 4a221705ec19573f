"""Whatever is drawn for a schema fits it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis.errors import Unsatisfiable

from lua_cli.probe.json_schema import SchemaProblemError, validator_of
from lua_cli.runtime.drawing import inputs_for
from lua_cli.runtime.fuzz import _drawn
from lua_cli.runtime.request import read_input

SCHEMAS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "open": {"type": "object"},
    "types": {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 3, "exclusiveMaximum": 9},
            "b": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "c": {"type": "integer", "multipleOf": 5, "minimum": 7, "maximum": 23},
            "d": {"type": "string", "minLength": 2, "maxLength": 3},
            "e": {"type": "string", "pattern": "^[A-Z]-[0-9]{4}$"},
            "f": {"type": ["boolean", "null"]},
            "g": {"enum": ["x", 1, None]},
            "h": {"const": {"k": 1}},
            "i": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2, "uniqueItems": True},
            "j": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "minItems": 2, "items": False},
            "k": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "l": {"oneOf": [{"type": "integer", "minimum": 10}, {"type": "null"}]},
            "m": {"allOf": [{"type": "object"}, {"properties": {"n": {"type": "string"}}, "required": ["n"]}]},
        },
        "required": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"],
        "additionalProperties": False,
    },
    "formats": {
        "properties": {
            name: {"type": "string", "format": name}
            for name in ("date-time", "date", "time", "uuid", "email", "ipv4", "ipv6", "uri", "duration", "path", "other")
        },
        "required": ["date-time", "date", "time", "uuid", "email", "ipv4", "ipv6", "uri", "duration", "path", "other"],
    },
    "recursive": {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/N"}}},
        "required": ["children"],
        "$defs": {"N": {"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/$defs/N"}}}}},
    },
    "mappings": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_drawn_fits_and_can_be_passed(name: str) -> None:
    validator = validator_of(SCHEMAS[name])

    @settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(inputs_for(SCHEMAS[name]))
    def check(value: Any) -> None:
        assert validator.is_valid(value)
        read_input(json.dumps(value))

    check()


@pytest.mark.parametrize("pattern", [r"^\d{7}$", r"^ORD-\d{4,6}$", r"^\w{3}\s\d$"])
def test_digits_of_a_pattern_are_those_that_the_schema_takes(pattern: str) -> None:
    """Python's `\\d` is any of 650 digits, of which ten are right: of fifty inputs one was left."""
    schema = {"type": "object", "properties": {"id": {"type": "string", "pattern": pattern}}, "required": ["id"]}
    assert len(_drawn({**schema, "additionalProperties": False}, 50, 0)) > 30


def test_optional_fields_are_left_out_and_given() -> None:
    drawn = inputs_for({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert find(drawn, lambda value: "a" in value) == {"a": 0}
    assert find(drawn, lambda value: "a" not in value) == {}


def test_a_schema_that_nothing_fits_or_that_is_none() -> None:
    with pytest.raises(Unsatisfiable):
        find(inputs_for({"enum": [1], "type": "string"}), lambda _value: True)
    with pytest.raises(SchemaProblemError):
        inputs_for({"type": "objekt"})


def test_simpler_values_are_simpler_and_end() -> None:
    from lua_cli.runtime.shrinking import measure, simpler

    value: Any = {"a": [1, 812, "größe"], "b": {"c": True, "d": -7.5}, "e": None}
    rounds = 0
    while candidates := simpler(value, 10):
        assert all(measure(candidate) < measure(value) for candidate in candidates)
        assert candidates == sorted(candidates, key=measure)
        value, rounds = candidates[-1], rounds + 1
        assert rounds < 200
    assert value == {}
