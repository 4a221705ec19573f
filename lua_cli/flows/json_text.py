"""JSON as flows write it. In: a JSON value. Out: text. Map keys are sorted, numbers without a fraction have none, and
there is no NaN.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_EXACT = 1e21  # from here on an integral float stays in scientific notation, as in JavaScript


def plain_number(number: float) -> int | float:
    """A number as it is printed: 5.0 is 5."""
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def normal(value: Any) -> Any:
    """A value as it is printed: keys sorted, numbers without a fraction that is none."""
    if isinstance(value, float):
        return plain_number(value)
    if isinstance(value, Mapping):
        return {key: normal(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    return value


def compact(value: Any) -> str:
    """One line of JSON."""
    return json.dumps(normal(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def as_text(value: Any) -> str:
    """A string as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else compact(value)


def strict_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError (and RecursionError), also for numbers that JSON has not and for a
    name that is there twice.
    """
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=each_once)


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping. Raises ValueError for a name that is there twice: which of the values was meant, nobody knows."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
