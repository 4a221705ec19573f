"""A quick yes for input that certainly fits its schema. In: a schema, a JSON value. Out: yes, or "ask the validator".

Loading the validator costs more than a Python process does. So this knows the plain part of JSON Schema alone, and of
that only what cannot be doubted; it never says no, and whatever it has not met before it leaves to the validator.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
    "array": (list,), "object": (dict,),
}  # fmt: skip
_WORDS = {"title": str, "description": str, "examples": list}  # keywords that decide nothing, and what they hold
_KNOWN = frozenset({*_WORDS, "default", "type", "properties", "required", "additionalProperties", "items"})
_DEEPEST = 50


def plainly_fits(schema: Any, value: Any) -> bool:
    """Whether the schema is plain, and the value is certainly one of it."""
    return _is_plain(schema, 0) and _fits(schema, value)


def _is_plain(schema: Any, depth: int) -> bool:
    """A well-formed schema whose every keyword is known here, its parts too."""
    if type(schema) is not dict or depth > _DEEPEST or not schema.keys() <= _KNOWN:
        return False
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if any(name in schema and type(schema[name]) is not kind for name, kind in _WORDS.items()):
        return False
    if "type" in schema and (type(schema["type"]) is not str or schema["type"] not in _TYPES):
        return False
    if type(properties) is not dict or type(required) is not list or type(schema.get("items", {})) is not dict:
        return False
    if not all(type(name) is str for name in required) or len(set(required)) != len(required):
        return False
    if type(schema.get("additionalProperties", True)) is not bool:
        return False
    parts = (*properties.values(), *([schema["items"]] if "items" in schema else []))
    return all(_is_plain(part, depth + 1) for part in parts)


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    """`integer` takes no 1.0 and no `true` here, which is for the validator to judge."""
    if "type" in schema and type(value) not in _TYPES[schema["type"]]:
        return False
    if type(value) is dict:
        properties = schema.get("properties", {})
        if not all(name in value for name in schema.get("required", ())):
            return False
        if not schema.get("additionalProperties", True) and not value.keys() <= properties.keys():
            return False
        return all(_fits(properties[name], part) for name, part in value.items() if name in properties)
    if type(value) is list and "items" in schema:
        return all(_fits(schema["items"], part) for part in value)
    return True
