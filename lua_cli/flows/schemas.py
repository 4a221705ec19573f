"""What a JSON Schema asks for and does not describe. In: a schema, as plain values. Out: names of `required` that are
probably those of other properties. Whether it is a schema at all, others say.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_MAX_DEPTH = 50
_LISTS, _TABLES = (
    ("allOf", "anyOf", "oneOf", "prefixItems"),
    ("properties", "$defs", "definitions", "patternProperties"),
)
_ONES = ("items", "additionalProperties", "not", "if", "then", "else", "contains")


class Misspelt(NamedTuple):
    """`name` is required, `meant` is the property that is there; `at` leads to the schema that says so."""

    name: str
    meant: str
    at: tuple[str | int, ...]

    @property
    def message(self) -> str:
        where = f" (at {'/'.join(map(str, self.at))})" if self.at else ""
        return f"`{self.name}` is required, and `properties` has no such name{where}"

    @property
    def hint(self) -> str:
        return f"did you mean `{self.meant}`?"


def misspelt_required(schema: Any) -> list[Misspelt]:
    """Names in `required` that no property has, where one has nearly the same and is not required itself."""
    return list(_in(schema, ()))


def place_in_text(text: str, name: str) -> int | None:
    """Where the name stands in a `required` of a JSON text; None where that cannot be told."""
    found = re.search(rf'"required"\s*:\s*\[[^\][{{}}]*?("{re.escape(name)}")', text)
    return found.start(1) if found else None


def _in(schema: Any, at: tuple[str | int, ...]) -> Iterator[Misspelt]:
    if not isinstance(schema, Mapping) or len(at) > _MAX_DEPTH:
        return
    yield from _here(schema, at)
    for key in _TABLES:
        for name, inner in schema[key].items() if isinstance(schema.get(key), Mapping) else ():
            yield from _in(inner, (*at, key, str(name)))
    for key in _LISTS:
        for number, inner in enumerate(schema[key]) if isinstance(schema.get(key), list | tuple) else ():
            yield from _in(inner, (*at, key, number))
    for key in _ONES:
        yield from _in(schema.get(key), (*at, key))


def _here(schema: Mapping[str, Any], at: tuple[str | int, ...]) -> Iterator[Misspelt]:
    fields, required = schema.get("properties"), schema.get("required")
    if not isinstance(fields, Mapping) or not isinstance(required, Sequence) or isinstance(required, str):
        return
    free = [str(name) for name in fields if name not in required]
    for name in required:
        if isinstance(name, str) and name not in fields:
            near = difflib.get_close_matches(name, free, n=1, cutoff=0.8) or [
                one for one in free if _bare(one) == _bare(name)
            ]
            if near:
                yield Misspelt(name, near[0], at)


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
