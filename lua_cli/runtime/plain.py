"""A quick yes for input that certainly fits its schema. In: a schema, a JSON value. Out: yes, or "ask the validator".

Loading the validator costs more than a Python process does. So this knows the plain part of JSON Schema alone, and of
that only what cannot be doubted; it never says no, and whatever it has not met before it leaves to the validator.
"""

from __future__ import annotations

from lua_cli.plain_schema import TYPES, is_plain

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def plainly_fits(schema: Any, value: Any) -> bool:
    """Whether the schema is plain, and the value is certainly one of it."""
    return is_plain(schema) and _fits(schema, value)


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    """`integer` takes no 1.0 and no `true` here, which is for the validator to judge."""
    if "type" in schema and type(value) not in TYPES[schema["type"]]:
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
