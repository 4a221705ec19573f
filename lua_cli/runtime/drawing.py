"""JSON Schema → inputs to try. In: a tool's schema. Out: a hypothesis strategy whose values fit the schema. Draws,
runs nothing.

Knows what pydantic writes and what people write by hand (2020-12: types, enum, const, unions, references that
recurse, bounds, patterns, formats); what is left is checked by the validator, so that a value that does not fit is
never given out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.probe.json_schema import validator_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_EXTRA_KEYS = 2


def inputs_for(schema: Mapping[str, Any]) -> SearchStrategy[Any]:
    """Values that fit `schema`. Raises SchemaProblemError for one that is none."""
    validator = validator_of(schema)
    return _Drawing(schema).of(schema).filter(validator.is_valid)


class _Drawing:
    def __init__(self, root: Mapping[str, Any]) -> None:
        from hypothesis import strategies

        self._root, self._st = root, strategies
        self._references: dict[str, SearchStrategy[Any]] = {}

    def of(self, schema: Any) -> SearchStrategy[Any]:
        """Values for a schema, or for `true`."""
        if not isinstance(schema, Mapping) or not schema:
            return self._anything()
        if "$ref" in schema:
            return self._reference(str(schema["$ref"]))
        if "const" in schema:
            return self._st.just(schema["const"])
        if "enum" in schema:
            return self._st.sampled_from(list(schema["enum"]))
        for union in ("anyOf", "oneOf"):
            if union in schema:
                return self._st.one_of([self.of(branch) for branch in schema[union]])
        if "allOf" in schema:
            merged = {key: value for key, value in schema.items() if key != "allOf"}
            for part in schema["allOf"]:
                merged |= self._looked_up(part)
            return self.of(merged)
        kinds = schema.get("type", "object" if "properties" in schema else None)
        if kinds is None:
            return self._anything()
        names = kinds if isinstance(kinds, list) else [kinds]
        return self._st.one_of([self._of_type(str(name), schema) for name in names])

    def _reference(self, reference: str) -> SearchStrategy[Any]:
        if reference not in self._references:
            self._references[reference] = self._st.deferred(lambda: self.of(self._looked_up({"$ref": reference})))
        return self._references[reference]

    def _looked_up(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        here: Any = self._root
        for part in reference.removeprefix("#").split("/")[1:]:
            here = here[part.replace("~1", "/").replace("~0", "~")]
        return here if isinstance(here, Mapping) else {}

    def _of_type(self, name: str, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        makers: dict[str, Callable[[Mapping[str, Any]], SearchStrategy[Any]]] = {
            "object": self._object, "array": self._array, "string": self._string, "integer": self._integer,
            "number": self._number, "boolean": lambda _s: self._st.booleans(), "null": lambda _s: self._st.none(),
        }  # fmt: skip
        return makers[name](schema) if name in makers else self._anything()

    def _object(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        properties: Mapping[str, Any] = schema.get("properties") or {}
        required = set(schema.get("required") or ())
        wanted = {
            name: self.of(properties.get(name, True)) for name in (*properties, *sorted(required - set(properties)))
        }
        fields = self._st.fixed_dictionaries(
            {name: drawn for name, drawn in wanted.items() if name in required},
            optional={name: drawn for name, drawn in wanted.items() if name not in required},
        )
        more = schema.get("additionalProperties", not properties)
        if more is False:
            return fields
        least = max(int(schema.get("minProperties", 0)) - len(required), 0)
        extras = self._st.dictionaries(self._text(0, 8), self.of(more), min_size=least, max_size=least + _EXTRA_KEYS)
        return self._st.builds(lambda one, other: {**other, **one}, fields, extras)

    def _array(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", least + 5))
        heads = [self.of(item) for item in schema.get("prefixItems") or ()]
        if heads:
            return self._st.tuples(*heads).map(list)
        unique = repr if schema.get("uniqueItems") else None
        return self._st.lists(self.of(schema.get("items", True)), min_size=least, max_size=most, unique_by=unique)

    def _string(self, schema: Mapping[str, Any]) -> SearchStrategy[str]:
        if "pattern" in schema:
            # In ECMA-262, which the pattern is written in, `\d` is an ASCII digit; in Python any of 650.
            return self._st.from_regex(re.compile(str(schema["pattern"]), re.ASCII)).filter(_is_text)
        known = self._formats().get(str(schema.get("format")))
        if known is not None:
            return known
        least = int(schema.get("minLength", 0))
        return self._text(least, int(schema.get("maxLength", least + 40)))

    def _formats(self) -> dict[str, SearchStrategy[str]]:
        import datetime

        st = self._st
        utc = st.just(datetime.UTC)
        return {
            "date-time": st.datetimes(timezones=utc).map(lambda value: value.isoformat()),
            "date": st.dates().map(str),
            "time": st.times().map(str),
            "uuid": st.uuids().map(str),
            "email": st.emails(),
            "ipv4": st.ip_addresses(v=4).map(str),
            "ipv6": st.ip_addresses(v=6).map(str),
            "uri": st.from_regex(r"https://[a-z]{1,10}\.example/[a-z0-9/]{0,20}", fullmatch=True),
            "duration": st.integers(0, 10**6).map(lambda seconds: f"PT{seconds}S"),
            "binary": self._text(0, 20),
            "path": st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8}){0,3}", fullmatch=True),
        }

    def _integer(self, schema: Mapping[str, Any]) -> SearchStrategy[int]:
        import math

        low, high = _bounds(schema)
        step = schema.get("multipleOf")
        whole = int(step) if step and float(step).is_integer() else 0
        least = None if low is None else math.ceil(low)
        most = None if high is None else math.floor(high)
        if whole:
            least = None if least is None else -(-least // whole)
            most = None if most is None else most // whole
            return self._st.integers(least, most).map(lambda n: n * whole)
        return self._st.integers(least, most)

    def _number(self, schema: Mapping[str, Any]) -> SearchStrategy[float]:
        low, high = _bounds(schema)
        return self._st.one_of(self._integer(schema), self._st.floats(low, high, allow_nan=False, allow_infinity=False))

    def _text(self, least: int, most: int) -> SearchStrategy[str]:
        return self._st.text(self._st.characters(codec="utf-8"), min_size=least, max_size=most)

    def _anything(self) -> SearchStrategy[Any]:
        st = self._st
        leaves = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), self._text(0, 20))
        return st.recursive(  # type: ignore[no-any-return]
            leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(self._text(0, 8), inner, max_size=3)
        )


def _bounds(schema: Mapping[str, Any]) -> tuple[Any, Any]:
    """The least and the greatest value; exclusive ones are left to the validator."""
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    return low, high


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
