"""Does a result look as a case expects? In: an Expectation and a RunResult. Out: all that differs, in words; None when
nothing does. Runs nothing and prints nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

from lua_cli.records import record
from lua_cli.runtime.model import RunResult

_ABSENT = object()
_SHOWN, _LISTED = 200, 20


@record(frozen=True)
class Expectation:
    """What a case expects: `kind` says how `value` is compared; "success" wants any output."""

    kind: Literal["success", "output", "subset", "matches", "error"] = "success"
    value: Any = None


@record(frozen=True)
class Matcher:
    """One kind of check: what may be given, and whether a value passes; both say what is wrong, or None."""

    problem: Callable[[Any], str | None]
    check: Callable[[Any, Any], str | None]


def difference(expected: Expectation, result: RunResult) -> str | None:
    """Everything that is not as expected, a line each; None when all is."""
    found = list(_found(expected, result))
    more = [f"… and {len(found) - _LISTED} more differences"] if len(found) > _LISTED else []
    return "\n".join([*found[:_LISTED], *more]) or None


def _found(expected: Expectation, result: RunResult) -> Iterator[str]:
    if expected.kind == "error":
        yield from _error(expected.value, result)
    elif result.error is not None:
        yield f"{result.error.type}: {result.error.message}"
    elif expected.kind in ("output", "subset"):
        yield from _differences(expected.value, result.output, "", exact=expected.kind == "output")
    elif expected.kind == "matches":
        yield from _matches(expected.value, result.output)


def subset_differences(wanted: Any, got: Any) -> Iterator[str]:
    """What `got` lacks of `wanted`; objects may have more keys, arrays more elements at the end."""
    return _differences(wanted, got, "", exact=False)


def exact_differences(wanted: Any, got: Any) -> Iterator[str]:
    """Where `got` is another value than `wanted`."""
    return _differences(wanted, got, "", exact=True)


def _error(wanted: dict[str, str], result: RunResult) -> Iterator[str]:
    if result.error is None:
        yield f"expected an error, got {_shown(result.output)}"
        return
    for name, value in wanted.items():
        got = {"type": result.error.type, "message": result.error.message, "path": result.error.path}[name]
        right = value in (got or "") if name == "message" else value == got
        if not right:
            yield f"expected an error with {name} {value!r}, got {got!r} ({result.error.type}: {result.error.message})"


def _differences(wanted: Any, got: Any, path: str, *, exact: bool) -> Iterator[str]:
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in sorted(got.keys() - wanted.keys()) if exact else ():
            yield f"{_at(path)} has the key `{key}`, which was not expected"
        for key, value in wanted.items():
            if key not in got:
                yield f"{_at(path)} has no key `{key}`"
            else:
                yield from _differences(value, got[key], f"{path}/{_escaped(key)}", exact=exact)
    elif isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got) if exact else len(wanted) > len(got):
            yield f"{_at(path)} has {len(got)} elements, expected {'' if exact else 'at least '}{len(wanted)}"
        for position, (value, item) in enumerate(zip(wanted, got, strict=False)):
            yield from _differences(value, item, f"{path}/{position}", exact=exact)
    elif not _same(wanted, got):
        yield f"{_at(path)}: expected {_shown(wanted)}, got {_shown(got)}"


def _equal(wanted: Any, got: Any) -> bool:
    return next(_differences(wanted, got, "", exact=True), None) is None


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1, 1 is 1.0."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _matches(wanted: dict[str, dict[str, Any]], output: Any) -> Iterator[str]:
    for path, matcher in wanted.items():
        value = _find(output, path)
        if value is _ABSENT and not matcher.get("absent"):
            yield f"there is nothing at {path}"
            continue
        for name, given in matcher.items():
            problem = MATCHERS[name].check(value, given)
            if problem:
                yield f"{_at(path)} {problem}"


def _find(value: Any, path: str) -> Any:
    for part in path.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return _ABSENT
    return value


def _at(path: str) -> str:
    return path or "the output"


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: not isinstance(v, bool) and (isinstance(v, int) or (isinstance(v, float) and v.is_integer())),
    "number": lambda v: not isinstance(v, bool) and isinstance(v, int | float),
    "boolean": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "null": lambda v: v is None,
}


def _anything(_given: Any) -> str | None:
    return None


def _must_be(kind: str) -> Callable[[Any], str | None]:
    return lambda given: None if _TYPES[kind](given) else f"must be a {kind}"


def _a_pattern(given: Any) -> str | None:
    try:
        re.compile(given)
    except (re.error, TypeError) as error:
        return f"must be a regular expression ({error})"
    return None


def _a_type(given: Any) -> str | None:
    return None if given in _TYPES else "must be one of " + ", ".join(_TYPES)


def _check_length(value: Any, given: Any) -> str | None:
    if not isinstance(value, str | list | dict):
        return f"has no length: {_shown(value)}"
    return None if len(value) == given else f"has {len(value)} elements, expected {given}"


def _check_bound(value: Any, given: Any, *, lower: bool) -> str | None:
    if not _TYPES["number"](value):
        return f"is no number: {_shown(value)}"
    right = value >= given if lower else value <= given
    return None if right else f"is {value}, expected {'at least' if lower else 'at most'} {given}"


def _check_contains(value: Any, given: Any) -> str | None:
    if isinstance(value, str):
        inside = isinstance(given, str) and given in value
    elif isinstance(value, list):
        inside = any(_equal(given, item) for item in value)
    else:
        inside = isinstance(value, dict) and given in value
    return None if inside else f"does not contain {_shown(given)}: {_shown(value)}"


def _check_regex(value: Any, given: str) -> str | None:
    found = isinstance(value, str) and re.search(given, value)
    return None if found else f"does not match {given!r}: {_shown(value)}"


MATCHERS: dict[str, Matcher] = {
    "equals": Matcher(_anything, lambda v, g: None if _equal(g, v) else f"is not {_shown(g)}: {_shown(v)}"),
    "type": Matcher(_a_type, lambda v, g: None if _TYPES[g](v) else f"is no {g}: {_shown(v)}"),
    "regex": Matcher(_a_pattern, _check_regex),
    "contains": Matcher(_anything, _check_contains),
    "in": Matcher(
        _must_be("array"),
        lambda v, g: None if any(_same(item, v) for item in g) else f"is none of {_shown(g)}: {_shown(v)}",
    ),
    "length": Matcher(_must_be("integer"), _check_length),
    "min": Matcher(_must_be("number"), lambda v, g: _check_bound(v, g, lower=True)),
    "max": Matcher(_must_be("number"), lambda v, g: _check_bound(v, g, lower=False)),
    "absent": Matcher(
        lambda g: None if g is True else "must be true",
        lambda v, _g: None if v is _ABSENT else f"is there: {_shown(v)}",
    ),
}
