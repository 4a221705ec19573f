"""Does the input fit the tool's schema? In: the manifest's schema, a JSON value. Out: every fault, with its path and
what to do.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from lua_cli.probe.json_schema import pointer, validator_of
from lua_cli.runtime.model import Fault

_ARTICLE = {"integer": "an integer", "object": "an object", "array": "an array", "null": "null"}
_SHOWN = 60


def faults_of(schema: Mapping[str, Any], value: Any) -> tuple[Fault, ...]:
    """What is wrong with `value`; empty when nothing is. Raises SchemaProblemError for a schema that is none."""
    found = [fault for error in validator_of(schema).iter_errors(value) for fault in _faults(error, schema)]
    missing = {fault.path for fault in found if fault.message.startswith("is required")}
    renamed = {fault.message.rpartition("`")[0].rpartition("`")[2] for fault in found if fault.path in missing}
    out = [f for f in found if not (f.message.startswith("is not known") and f.path.rpartition("/")[2] in renamed)]
    return tuple(dict.fromkeys(sorted(out, key=lambda fault: fault.path)))


def _faults(error: Any, schema: Mapping[str, Any]) -> Iterator[Fault]:
    path, kind = list(error.instance_path), error.kind.name
    holder = error.instance
    if kind == "required":
        yield _missing(path, error.kind.value, holder, schema)
    elif kind in ("additionalProperties", "unevaluatedProperties"):
        known = _known_keys(schema, path)
        for name in error.kind.value:
            near = difflib.get_close_matches(name, known, n=1)
            words = (
                f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known)}" if known else "no keys are known"
            )
            yield Fault(pointer([*path, name]), f"is not known; {words}")
    elif kind in ("anyOf", "oneOf"):
        yield from _alternatives(error, schema)
    else:
        yield Fault(pointer(path), _words(error))


def _missing(path: list[str | int], name: str, holder: Any, schema: Mapping[str, Any]) -> Fault:
    known = set(_known_keys(schema, path))
    given = [key for key in holder if key not in known] if isinstance(holder, dict) else []
    message = "is required"
    kind = (_schema_at(schema, path).get("properties") or {}).get(name, {})
    if isinstance(kind, dict) and isinstance(kind.get("type"), str):
        message += f" ({kind['type']})"
    near = difflib.get_close_matches(name, given, n=1, cutoff=0.5) or _same_letters(name, given)
    if near:
        message += f"; did you mean `{name}` instead of `{near[0]}`?"
    return Fault(pointer([*path, name]), message)


def _same_letters(name: str, given: list[str]) -> list[str]:
    plain = name.replace("_", "").replace("-", "").lower()
    return [key for key in given if key.replace("_", "").replace("-", "").lower() == plain]


def _alternatives(error: Any, schema: Mapping[str, Any]) -> Iterator[Fault]:
    """A union: what it may be, in one line; the faults inside when only one branch is an object like the value."""
    path = list(error.instance_path)
    branches = [branch for branch in error.kind.value if branch]
    deep = [
        branch
        for branch in branches
        if any(list(inner.instance_path) != path or inner.kind.name == "required" for inner in branch)
    ]
    if len(deep) == 1:
        for inner in deep[0]:
            yield from _faults(inner, schema)
        return
    types = [
        t
        for branch in branches
        for inner in branch
        if inner.kind.name == "type" and list(inner.instance_path) == path
        for t in inner.kind.value
    ]
    expected = " or ".join(_ARTICLE.get(t, f"a {t}") for t in dict.fromkeys(types))
    yield Fault(
        pointer(path), f"must be {expected}, not {_shown(error.instance)}" if expected else _cut(str(error.message))
    )


def _words(error: Any) -> str:
    kind, value, got = error.kind.name, error.kind.value, _shown(error.instance)
    if kind == "type":
        return f"must be {' or '.join(_ARTICLE.get(t, f'a {t}') for t in value)}, not {got}"
    if kind == "enum":
        near = (
            difflib.get_close_matches(error.instance, [v for v in value if isinstance(v, str)], n=1)
            if isinstance(error.instance, str)
            else []
        )
        hint = f"; did you mean {json.dumps(near[0], ensure_ascii=False)}?" if near else ""
        return f"must be one of {', '.join(json.dumps(v, ensure_ascii=False) for v in value)}, not {got}{hint}"
    if kind == "const":
        return f"must be {json.dumps(value, ensure_ascii=False)}, not {got}"
    if kind == "format":
        return f"must be a {value}, not {got}"
    if kind == "pattern":
        return f"must match {value}, not {got}"
    return _cut(str(error.message))


def _shown(value: Any) -> str:
    """The value as JSON, cut; large values by their kind alone."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN * 4 else text[: _SHOWN * 4] + "…"


def _known_keys(schema: Mapping[str, Any], path: list[str | int]) -> list[str]:
    properties = _schema_at(schema, path).get("properties")
    return list(properties) if isinstance(properties, dict) else []


def _schema_at(schema: Mapping[str, Any], path: list[str | int]) -> Mapping[str, Any]:
    """The plain schema of a place in the value; empty where unions or patterns make that a guess."""
    here = _resolved(schema, schema)
    for part in path:
        following: Any = (here.get("properties") or {}).get(part) if isinstance(part, str) else here.get("items")
        if not isinstance(following, dict):
            return {}
        here = _resolved(following, schema)
    return here


def _resolved(here: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(10):
        reference = here.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
            return here
        found = (root.get("$defs") or {}).get(reference.removeprefix("#/$defs/"))
        if not isinstance(found, dict):
            return {}
        here = found
    return {}
