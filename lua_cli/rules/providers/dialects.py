"""A JSON Schema (2020-12) in the dialect of a provider. In: the schema, the provider. Out: the schema that its API
takes, and what cannot be said in it. What a dialect merely lacks is left out (a description stays); what would change
the meaning is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lua_cli.records import record

_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_GEMINI_KEPT = (
    "type", "description", "format", "nullable", "enum", "properties", "required", "items", "anyOf",
    "minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "minimum", "maximum",
)  # fmt: skip
_GEMINI_FORMATS = frozenset({"date-time", "enum", "int32", "int64", "float", "double"})
_NOT_STRICT = ("allOf", "not", "if", "then", "else", "oneOf", "patternProperties", "propertyNames", "dependentRequired")
_ONE_SCHEMA = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_SCHEMAS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")


@record(frozen=True)
class Dialect:
    """schema: what the provider gets · problems: (JSON Pointer of the field, what it cannot say)."""

    schema: Mapping[str, Any]
    problems: tuple[tuple[str, str], ...] = ()


def dialect_of(schema: Mapping[str, Any], provider: str) -> Dialect:
    """The schema for one of PROVIDERS."""
    problems: list[tuple[str, str]] = []
    _check_root(schema, problems)
    if provider == "gemini":
        return Dialect(_Gemini(schema, problems).converted(), tuple(problems))
    for pointer, part in _parts(schema, ""):
        if (
            provider.startswith("openai")
            and part.get("type") == "array"
            and not ({"items", "prefixItems"} & part.keys())
        ):
            problems.append((pointer, "an array without `items`"))
        if provider == "openai-strict":
            problems += [(pointer, problem) for problem in _not_strict(part)]
        if provider == "anthropic":
            names = [name for name in part.get("properties", ()) if not _PROPERTY.fullmatch(name)]
            problems += [(f"{pointer}/{name}", f"the field name {name!r}") for name in names]
    return Dialect(schema, tuple(problems))


def _check_root(schema: Mapping[str, Any], problems: list[tuple[str, str]]) -> None:
    if schema.get("type") != "object":
        problems.append(("", "an input that is no object"))
    problems += [
        ("", f"`{key}` at the top of the input") for key in ("anyOf", "oneOf", "allOf", "not", "enum") if key in schema
    ]


def _not_strict(part: Mapping[str, Any]) -> list[str]:
    found = [f"`{key}`" for key in _NOT_STRICT if key in part]
    if part.get("type") != "object":
        return found
    if part.get("additionalProperties", True) is not False and (
        part.get("additionalProperties") or not part.get("properties")
    ):
        found.append("an object with free keys")
    optional = [name for name in part.get("properties", ()) if name not in part.get("required", ())]
    return found + [f"the optional field {name!r} (strict wants all fields required)" for name in optional]


def _parts(schema: object, pointer: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Every schema in a schema, with its JSON Pointer, outermost first. Iterative: models can be deep."""
    found: list[tuple[str, Mapping[str, Any]]] = []
    pending: list[tuple[str, object]] = [(pointer, schema)]
    while pending:
        where, part = pending.pop()
        if not isinstance(part, dict):
            continue
        found.append((where, part))
        nested = [(f"{where}/{key}", part[key]) for key in _ONE_SCHEMA if key in part]
        for key in _SCHEMAS:
            nested += [(f"{where}/{key}/{n}", one) for n, one in enumerate(part.get(key) or ())]
        for key in _NAMED_SCHEMAS:
            nested += [(f"{where}/{key}/{name}", one) for name, one in (part.get(key) or {}).items()]
        pending += reversed(nested)
    return found


class _Gemini:
    """Gemini takes a part of OpenAPI 3.0: no references, no free objects, strings alone in enums."""

    def __init__(self, schema: Mapping[str, Any], problems: list[tuple[str, str]]) -> None:
        self._root = schema
        self._problems = problems

    def converted(self) -> dict[str, Any]:
        return self._convert(self._root, "", ("#",))

    def _convert(self, schema: object, pointer: str, inside: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(schema, dict):
            self._problems.append((pointer, "a value of any type"))
            return {"type": "string"}
        schema, inside = self._resolved(schema, pointer, inside)
        out = {key: value for key, value in self._simple(schema, pointer).items() if key in _GEMINI_KEPT}
        if "properties" in out:
            out["properties"] = {
                name: self._convert(one, f"{pointer}/properties/{name}", inside)
                for name, one in out["properties"].items()
            }
        elif out.get("type") == "object" and pointer:
            self._problems.append((pointer, "an object without declared fields"))
        if out.get("type") == "array":
            out["items"] = self._items(schema, pointer, inside)
        if "anyOf" in out:
            options = [self._convert(one, f"{pointer}/anyOf/{n}", inside) for n, one in enumerate(out.pop("anyOf"))]
            out |= options[0] if len(options) == 1 else {"anyOf": options}
        return out

    def _resolved(
        self, schema: dict[str, Any], pointer: str, inside: tuple[str, ...]
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The schema with its reference put in; what stands beside the reference (a description) wins."""
        while "$ref" in schema:
            name = str(schema["$ref"])
            if name in inside:
                kind = "input" if name == "#" else name.rpartition("/")[2]
                self._problems.append((pointer, f"the recursive type `{kind}`"))
                return {"type": "string", "description": f"a nested {kind}"}, inside
            inside = (*inside, name)
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            target: Any = self._root
            for part in name.removeprefix("#").strip("/").split("/"):
                target = target.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, dict) else {}
            schema = {**target, **beside} if isinstance(target, dict) else beside
        return schema, inside

    def _simple(self, schema: dict[str, Any], pointer: str) -> dict[str, Any]:
        """The keywords that have another name, or only a part of their meaning, there."""
        out = dict(schema)
        if "const" in out:
            out["enum"] = [out.pop("const")]
        if "oneOf" in out:
            out["anyOf"] = out.pop("oneOf")
        if len(out.get("allOf", ())) == 1:
            out |= {key: value for key, value in out.pop("allOf")[0].items() if key not in out}
        elif "allOf" in out:
            self._problems.append((pointer, "`allOf`"))
        types = out.get("type")
        if isinstance(types, list):
            out["anyOf"] = [{"type": one} for one in types]
            del out["type"]
        options = out.get("anyOf", [])
        if any(isinstance(one, dict) and one.get("type") == "null" for one in options):
            out["nullable"] = True
            out["anyOf"] = [one for one in options if one.get("type") != "null"]
        if any(not isinstance(value, str) for value in out.get("enum", ())):
            self._problems.append((pointer, "an enum of other values than strings"))
        if out.get("format") not in _GEMINI_FORMATS:
            out.pop("format", None)
        if "patternProperties" in out or isinstance(out.get("additionalProperties"), dict):
            self._problems.append((pointer, "an object with free keys"))
        return out

    def _items(self, schema: dict[str, Any], pointer: str, inside: tuple[str, ...]) -> dict[str, Any]:
        items = schema.get("items")
        if isinstance(items, dict) and items:
            return self._convert(items, f"{pointer}/items", inside)
        self._problems.append((pointer, "a tuple" if "prefixItems" in schema else "an array without `items`"))
        return {"type": "string"}
