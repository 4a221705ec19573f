"""Whether a schema is plain, and so certainly a JSON Schema: loading the validator costs more than a Python process
does, and most schemas of tools are of types, properties and texts alone.

In: a schema. Out: yes, or "ask the validator". Imports nothing of the product.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
    "array": (list,), "object": (dict,),
}  # fmt: skip
_WORDS = {"title": str, "description": str, "examples": list}  # keywords that decide nothing, and what they hold
_KNOWN = frozenset({*_WORDS, "default", "type", "properties", "required", "additionalProperties", "items"})
_DEEPEST = 50


def is_plain(schema: Any) -> bool:
    """Whether it is a well-formed schema of which every keyword is known here, its parts too."""
    return _is_plain(schema, 0)


def _is_plain(schema: Any, depth: int) -> bool:
    if type(schema) is not dict or depth > _DEEPEST or not schema.keys() <= _KNOWN:
        return False
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if any(name in schema and type(schema[name]) is not kind for name, kind in _WORDS.items()):
        return False
    if "type" in schema and (type(schema["type"]) is not str or schema["type"] not in TYPES):
        return False
    if type(properties) is not dict or type(required) is not list or type(schema.get("items", {})) is not dict:
        return False
    if not all(type(name) is str for name in required) or len(set(required)) != len(required):
        return False
    if type(schema.get("additionalProperties", True)) is not bool:
        return False
    parts = (*properties.values(), *([schema["items"]] if "items" in schema else []))
    return all(_is_plain(part, depth + 1) for part in parts)
