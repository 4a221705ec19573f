"""Schemas in the dialects of providers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from lua_cli.errors import UsageError
from lua_cli.rules.providers import PROVIDERS, checked_providers, dialect_of


class Address(BaseModel):
    street: str
    zip: str | None = None


class Order(BaseModel):
    number: str = Field(description="As printed", pattern="^A")
    ship: Address = Field(description="Where to")
    bill: Address
    kind: str = Field(json_schema_extra={"const": "x"})


class Node(BaseModel):
    label: str
    children: list[Node] = []


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def test_gemini_gets_no_references_and_keeps_what_stands_beside_them() -> None:
    found = dialect_of(Order.model_json_schema(), "gemini")
    assert found.problems == ()
    assert "$ref" not in str(found.schema)
    assert "$defs" not in found.schema
    ship, bill = found.schema["properties"]["ship"], found.schema["properties"]["bill"]
    assert (ship["description"], ship["type"], ship["required"]) == ("Where to", "object", ["street"])
    assert bill["properties"] == ship["properties"]
    assert ship["properties"]["zip"] == {"type": "string", "nullable": True}
    assert found.schema["properties"]["kind"]["enum"] == ["x"]


def test_a_recursive_type_is_named_with_its_field_and_ends() -> None:
    found = dialect_of(Node.model_json_schema(), "gemini")
    assert [(pointer, problem) for pointer, problem in found.problems if "recursive" in problem] == [
        ("/properties/children/items", "the recursive type `Node`")
    ]


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_arrays_without_items(provider: str) -> None:
    schema = obj(tags={"type": "array"}, deep=obj(rows={"type": "array", "items": {"type": "string"}}))
    assert dialect_of(schema, provider).problems == (("/properties/tags", "an array without `items`"),)
    assert dialect_of(schema, "anthropic").problems == ()


def test_free_objects_are_never_rewritten() -> None:
    free = {"type": "object", "additionalProperties": True}
    counts = {"type": "object", "additionalProperties": {"type": "integer"}}
    schema = obj(filters=free, counts=counts)
    strict = dialect_of(schema, "openai-strict")
    assert strict.schema == schema
    assert strict.problems == (
        ("/properties/filters", "an object with free keys"),
        ("/properties/counts", "an object with free keys"),
    )
    assert dialect_of(schema, "openai").problems == ()
    assert {pointer for pointer, _ in dialect_of(schema, "gemini").problems} == {
        "/properties/filters",
        "/properties/counts",
    }


def test_strict_wants_every_field() -> None:
    problems = dialect_of(Address.model_json_schema() | {"additionalProperties": False}, "openai-strict").problems
    assert problems == (("", "the optional field 'zip' (strict wants all fields required)"),)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_wants_an_object_at_the_top(provider: str) -> None:
    assert ("", "an input that is no object") in dialect_of({"type": "string"}, provider).problems
    union = {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}]}
    assert ("", "`anyOf` at the top of the input") in dialect_of(union, provider).problems


def test_anthropic_field_names() -> None:
    assert dialect_of(obj(straße={"type": "string"}), "anthropic").problems == (("/straße", "the field name 'straße'"),)


def test_values_that_gemini_cannot_say() -> None:
    schema = obj(
        level={"enum": [1, 2]},
        pair={"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        either={"oneOf": [{"type": "string"}, {"type": "integer"}]},
        several={"type": ["string", "null"]},
        anything=True,
    )
    found = dialect_of(schema, "gemini")
    assert found.problems == (
        ("/properties/level", "an enum of other values than strings"),
        ("/properties/pair", "a tuple"),
        ("/properties/anything", "a value of any type"),
    )
    assert found.schema["properties"]["either"] == {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    assert found.schema["properties"]["several"] == {"nullable": True, "type": "string"}


def test_unknown_providers_are_refused() -> None:
    assert checked_providers(["OpenAI", " gemini", "openai", ""]) == ("openai", "gemini")
    with pytest.raises(UsageError, match="no model provider 'clippy'"):
        checked_providers(["clippy"])
