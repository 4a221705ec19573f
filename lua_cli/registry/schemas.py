"""What a change of an input schema means to those who call the tool. In: two JSON Schemas. Out: `SchemaChange`s. Pure.

breaking  an input that was accepted may be refused now, or is understood differently
widening  more is accepted than before
wording   texts that the model reads; nothing is accepted or refused differently

What this does not know how to weigh counts as breaking.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from lua_cli.records import record

Kind = Literal["breaking", "widening", "wording"]
ORDER: tuple[Kind, ...] = ("breaking", "widening", "wording")

_WORDS = ("description", "title", "examples", "default", "$comment", "deprecated")
_HANDLED = {"type", "enum", "const", "properties", "required", "items", "additionalProperties", "anyOf", "oneOf"}
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_PASSED = {"$defs", "definitions", "$schema", "$id", "discriminator"}


@record(frozen=True)
class SchemaChange:
    """One change, at a JSON Pointer into the input ("" for the whole)."""

    kind: Kind
    path: str
    message: str


def schema_changes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> tuple[SchemaChange, ...]:
    """The changes, the weightiest first."""
    old, new = before or {}, after or {}
    found = dict.fromkeys(_Comparison(old, new).compare(old, new, "", ()))
    return tuple(sorted(found, key=lambda change: (ORDER.index(change.kind), change.path)))


def without_words(schema: Any) -> Any:
    """The schema without what is only read."""
    if isinstance(schema, Mapping):
        return {key: without_words(value) for key, value in schema.items() if key not in _WORDS}
    return [without_words(item) for item in schema] if isinstance(schema, list) else schema


class _Comparison:
    def __init__(self, old_root: Mapping[str, Any], new_root: Mapping[str, Any]) -> None:
        self._old_root = old_root
        self._new_root = new_root

    def compare(self, old: Any, new: Any, path: str, seen: tuple[tuple[str, str], ...]) -> Iterator[SchemaChange]:
        """The changes from `old` to `new`. `seen` are the references on the way, so that a recursive schema ends."""
        refs = (_ref(old), _ref(new))
        if any(refs):
            if refs in seen:
                return
            seen = (*seen, refs)
        old, new = _resolved(old, self._old_root), _resolved(new, self._new_root)
        if old == new and not any(refs):
            return
        yield from _words(old, new, path)
        yield from _types(old, new, path)
        yield from _bounds(old, new, path)
        yield from self._properties(old, new, path, seen)
        yield from self._others(old, new, path, seen)
        yield from self._alternatives(old, new, path, seen)
        if "items" in old or "items" in new:
            yield from self.compare(old.get("items", {}), new.get("items", {}), f"{path}/*", seen)
        yield from _unknown(old, new, path)

    def _properties(
        self, old: Mapping[str, Any], new: Mapping[str, Any], path: str, seen: tuple[tuple[str, str], ...]
    ) -> Iterator[SchemaChange]:
        before, after = _table(old, "properties"), _table(new, "properties")
        was, is_now = set(old.get("required") or ()), set(new.get("required") or ())
        for name in after:
            at = f"{path}/{name}"
            if name not in before:
                required = name in is_now
                kind: Kind = "breaking" if required else "widening"
                yield SchemaChange(kind, at, f"is new and {'required' if required else 'optional'}")
                continue
            if name in is_now - was:
                yield SchemaChange("breaking", at, "is required now")
            if name in was - is_now:
                yield SchemaChange("widening", at, "is optional now")
            yield from self.compare(before[name], after[name], at, seen)
        for name in before:
            if name not in after:
                yield SchemaChange("breaking", f"{path}/{name}", "was removed")
        for name in sorted((is_now - was) - after.keys()):
            yield SchemaChange("breaking", f"{path}/{name}", "is required now")

    def _others(
        self, old: Mapping[str, Any], new: Mapping[str, Any], path: str, seen: tuple[tuple[str, str], ...]
    ) -> Iterator[SchemaChange]:
        before, after = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if before is not False and after is False:
            yield SchemaChange("breaking", path, "takes no other properties now")
        elif before is False and after is not False:
            yield SchemaChange("widening", path, "takes other properties now")
        elif before != after:
            yield from self.compare(_schema(before), _schema(after), f"{path}/*", seen)

    def _alternatives(
        self, old: Mapping[str, Any], new: Mapping[str, Any], path: str, seen: tuple[tuple[str, str], ...]
    ) -> Iterator[SchemaChange]:
        before, after = _choices(old, self._old_root), _choices(new, self._new_root)
        if not before and not after:
            return
        before, after = before or [_bare(old)], after or [_bare(new)]
        gone = [choice for choice in before if choice not in after]
        come = [choice for choice in after if choice not in before]
        if len(gone) == len(come) == 1:  # one alternative, changed
            yield from self.compare(gone[0], come[0], path, seen)
            return
        for choice in gone:
            yield SchemaChange("breaking", path, f"no longer takes {_short(choice)}")
        for choice in come:
            yield SchemaChange("widening", path, f"takes {_short(choice)}, too")


def _words(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    for word in _WORDS:
        if old.get(word) != new.get(word) or (word in old) != (word in new):
            yield SchemaChange("wording", path, f"{word} changed")


def _types(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    before, after = _type_set(old), _type_set(new)
    if before != after and not (_has_choices(old) or _has_choices(new)):
        message = f"{_named(before)} became {_named(after)}"
        narrower = after is not None and (before is None or not before <= _numbers(after))
        yield SchemaChange("breaking" if narrower else "widening", path, message)
    old_values, new_values = _values(old), _values(new)
    if old_values == new_values:
        return
    if new_values is None:
        yield SchemaChange("widening", path, "takes any value now")
    elif old_values is None:
        yield SchemaChange("breaking", path, f"takes {', '.join(new_values)} alone")
    else:
        gone = [value for value in old_values if value not in new_values]
        come = [value for value in new_values if value not in old_values]
        if gone:
            yield SchemaChange("breaking", path, f"no longer takes {', '.join(gone)}")
        if come:
            yield SchemaChange("widening", path, f"takes {', '.join(come)}, too")


def _bounds(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    for key in (*_LOWER, *_UPPER):
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        tighter = after is not None and (before is None or (after > before if key in _LOWER else after < before))
        shown = "is gone" if after is None else f"is {after}" + ("" if before is None else f", was {before}")
        yield SchemaChange("breaking" if tighter else "widening", path, f"{key} {shown}")


def _unknown(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    known = {*_WORDS, *_HANDLED, *_LOWER, *_UPPER, *_PASSED}
    for key in sorted({*old, *new} - known):
        if old.get(key) != new.get(key):
            kind: Kind = "widening" if key not in new else "breaking"
            yield SchemaChange(kind, path, f"{key} {'is gone' if key not in new else 'changed'}")


def _ref(schema: Any) -> str:
    return str(schema.get("$ref", "")) if isinstance(schema, Mapping) else ""


def _resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema behind a local reference, with what stands beside it."""
    for _ in range(20):
        reference = _ref(schema)
        if not reference.startswith("#/"):
            break
        found: Any = root
        for part in reference[2:].split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, Mapping) else {}
        schema = {**_schema(found), **{key: value for key, value in schema.items() if key != "$ref"}}
    return _schema(schema)


def _schema(value: Any) -> Mapping[str, Any]:
    """`true` and what is no schema accept everything, `false` nothing."""
    if isinstance(value, Mapping):
        return value
    return {"enum": []} if value is False else {}


def _table(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = schema.get(key)
    return value if isinstance(value, Mapping) else {}


def _type_set(schema: Mapping[str, Any]) -> frozenset[str] | None:
    value = schema.get("type")
    if isinstance(value, str):
        return frozenset([value])
    return frozenset(map(str, value)) if isinstance(value, list) else None


def _numbers(types: frozenset[str]) -> frozenset[str]:
    return types | {"integer"} if "number" in types else types


def _named(types: frozenset[str] | None) -> str:
    return " or ".join(sorted(types)) if types else "anything"


def _values(schema: Mapping[str, Any]) -> list[str] | None:
    if "const" in schema:
        return [json.dumps(schema["const"], ensure_ascii=False)]
    values = schema.get("enum")
    return [json.dumps(value, ensure_ascii=False) for value in values] if isinstance(values, list) else None


def _has_choices(schema: Mapping[str, Any]) -> bool:
    return "anyOf" in schema or "oneOf" in schema


def _choices(schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Any]:
    found = schema.get("anyOf") or schema.get("oneOf")
    return [without_words(_resolved(choice, root)) for choice in found] if isinstance(found, list) else []


def _bare(schema: Mapping[str, Any]) -> Any:
    return without_words(schema)


def _short(choice: Any) -> str:
    if isinstance(choice, Mapping) and isinstance(choice.get("type"), str):
        return str(choice["type"])
    text = json.dumps(choice, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
