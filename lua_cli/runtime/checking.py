"""Does the input fit the tool's schema? In: the manifest's schema, a JSON value. Out: every fault, with its path and
what to do.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from lua_cli.probe.json_schema import pointer, validator_of
from lua_cli.records import record
from lua_cli.runtime.model import Fault

_ARTICLE = {"integer": "an integer", "object": "an object", "array": "an array", "null": "null"}
_SHOWN = 240


@record(frozen=True)
class _Found:
    """A fault as the validator found it: the keyword of the schema, and the key that was probably meant to be this
    one.
    """

    fault: Fault
    keyword: str
    instead_of: str = ""


def faults_of(schema: Mapping[str, Any], value: Any) -> tuple[Fault, ...]:
    """What is wrong with `value`; empty when nothing is. Raises SchemaProblemError for a schema that is none."""
    found = [one for error in validator_of(schema).iter_errors(value) for one in _found(error, schema)]
    misspelled = {one.instead_of for one in found}
    listed = {one.fault.path for one in found if one.keyword == "enum"}
    said = [one.fault for one in found if not _is_said_already(one, misspelled, listed)]
    return tuple(dict.fromkeys(sorted(said, key=lambda fault: fault.path)))


def _is_said_already(one: _Found, misspelled: set[str], listed: set[str]) -> bool:
    """An unknown key that a missing one names, and a wrong type where the list of what may be there is shown."""
    if one.keyword == "additionalProperties":
        return one.fault.path.rpartition("/")[2] in misspelled
    return one.keyword == "type" and one.fault.path in listed


def _found(error: Any, schema: Mapping[str, Any]) -> Iterator[_Found]:
    path, keyword = list(error.instance_path), error.kind.name
    if keyword == "required":
        yield _missing(path, error.kind.value, error.instance, schema)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        known = _known_keys(schema, path)
        for name in error.kind.value:
            near = difflib.get_close_matches(name, known, n=1)
            words = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known)}" if known else "none is"
            yield _Found(Fault(pointer([*path, name]), f"is not known; {words}"), "additionalProperties")
    elif keyword in ("anyOf", "oneOf"):
        yield from _alternatives(error, schema)
    else:
        yield _Found(Fault(pointer(path), _words(error)), keyword)


def _missing(path: list[str | int], name: str, holder: Any, schema: Mapping[str, Any]) -> _Found:
    known = set(_known_keys(schema, path))
    given = [key for key in holder if key not in known] if isinstance(holder, dict) else []
    message = "is required"
    kind = (_schema_at(schema, path).get("properties") or {}).get(name, {})
    if isinstance(kind, dict) and isinstance(kind.get("type"), str):
        message += f" ({kind['type']})"
    near = [*_same_letters(name, given), *difflib.get_close_matches(name, given, n=1, cutoff=0.5)]
    if near:
        message += f"; did you mean `{name}` instead of `{near[0]}`?"
    return _Found(Fault(pointer([*path, name]), message), "required", near[0] if near else "")


def _same_letters(name: str, given: list[str]) -> list[str]:
    plain = name.replace("_", "").replace("-", "").lower()
    return [key for key in given if key.replace("_", "").replace("-", "").lower() == plain]


def _alternatives(error: Any, schema: Mapping[str, Any]) -> Iterator[_Found]:
    """A union: what it may be, in one line; or the faults inside, when only one branch is of the value's kind."""
    path = list(error.instance_path)
    branches = [branch for branch in error.kind.value if branch]
    deep = [branch for branch in branches if any(_is_inside(inner, path) for inner in branch)]
    if len(deep) == 1:
        for inner in deep[0]:
            yield from _found(inner, schema)
        return
    own = [inner for branch in branches for inner in branch if not _is_inside(inner, path)]
    phrases = dict.fromkeys(phrase for inner in sorted(own, key=_plainness) for phrase in _expectations(inner))
    expected = " or ".join(phrases)
    words = f"must be {expected}, not {_shown(error.instance)}" if expected else _cut(str(error.message))
    yield _Found(Fault(pointer(path), words), error.kind.name)


def _plainness(error: Any) -> int:
    """Kinds alone go last: "one of "open", "shipped" or null"."""
    return int(error.kind.name == "type")


def _expectations(error: Any) -> list[str]:
    """What one branch of a union asks for, to stand after "must be"."""
    keyword, value = error.kind.name, error.kind.value
    if keyword == "type":
        return [_ARTICLE.get(name, f"a {name}") for name in value]
    if keyword == "enum":
        return ["one of " + ", ".join(_json(option) for option in value)]
    if keyword == "const":
        return [_json(value)]
    if keyword == "format":
        return [f"a {value}"]
    words = _words(error)
    return (
        [words.removeprefix("must be ").partition(", not ")[0]]
        if words.startswith("must be ")
        else [f"valid ({words})"]
    )


def _is_inside(error: Any, path: list[str | int]) -> bool:
    """The fault is about a part of the value, so the value itself is of this branch's kind."""
    return list(error.instance_path) != path or error.kind.name == "required"


def _words(error: Any) -> str:
    keyword, value, got = error.kind.name, error.kind.value, _shown(error.instance)
    if keyword == "type":
        return f"must be {' or '.join(_ARTICLE.get(name, f'a {name}') for name in value)}, not {got}"
    if keyword == "enum":
        options = [option for option in value if isinstance(option, str)]
        near = difflib.get_close_matches(error.instance, options, n=1) if isinstance(error.instance, str) else []
        hint = f"; did you mean {_json(near[0])}?" if near else ""
        return f"must be one of {', '.join(_json(option) for option in value)}, not {got}{hint}"
    if keyword == "const":
        return f"must be {_json(value)}, not {got}"
    if keyword == "format":
        return f"must be a {value}, not {got}"
    if keyword == "pattern":
        return f"must match {value}, not {got}"
    return _cut(str(error.message))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(value: Any) -> str:
    """The value as JSON, cut; large values by their kind alone."""
    if isinstance(value, dict):
        return "an object"
    return "an array" if isinstance(value, list) else _cut(_json(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


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
