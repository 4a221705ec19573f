"""A schema that is plain is judged without the validator, and gets the same answer."""

from __future__ import annotations

from typing import Any

import pytest

from lua_cli.plain_schema import is_plain
from lua_cli.probe.inspecting import _checked
from lua_cli.probe.json_schema import SchemaProblemError, validator_of

SCHEMAS: dict[str, dict[str, Any]] = {
    "a model": {
        "type": "object",
        "title": "Q",
        "properties": {"q": {"type": "string", "default": "x"}},
        "required": ["q"],
    },
    "a list": {"type": "array", "items": {"type": "integer"}},
    "names of keywords": {"properties": {"$ref": {"type": "string"}, "type": {"type": "null"}}},
    "half a character": {"type": "string", "default": "\ud800"},
    "half a name": {"properties": {"\ud800": {"type": "string"}}},
    "twice required": {"required": ["a", "a"]},
    "no type": {"type": "text"},
    "a title of none": {"title": None},
    "a reference": {"$ref": "#/$defs/Nope"},
    "a pattern": {"type": "string", "pattern": "("},
}


@pytest.mark.parametrize("what", SCHEMAS, ids=lambda name: name.replace(" ", "-"))
def test_the_answer_is_that_of_the_validator(what: str) -> None:
    schema = SCHEMAS[what]
    try:
        validator_of(schema)
        good = True
    except SchemaProblemError:
        good = False
    seen = _checked({"schema": schema})
    assert (seen["schema"] is not None) == good
    assert good == (what in ("a model", "a list", "names of keywords"))
    assert is_plain(schema) or not good
