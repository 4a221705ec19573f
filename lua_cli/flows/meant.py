"""Numbers as people write them. In: a value of YAML that is no number within its bounds. Out: the number that was
probably meant. Checks nothing.
"""

from __future__ import annotations

import re
from typing import Any

_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_UNITS = {
    "": 1.0,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "ms": 0.001,
    "m": 60.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
}
_MEASURE = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([a-z]*)")


def meant_number(value: Any, least: float, most: float, *, whole: bool) -> float | None:
    """`5s`, `eight` and `"8"` as numbers, and the nearest bound of what lies outside; None for anything else. Units are
    those of time, and count where a fraction is possible.
    """
    number = _number(value, units=not whole)
    if number is None:
        return None
    number = min(max(number, least), most)
    return int(number) if number == int(number) else None if whole else number


def _number(value: Any, *, units: bool) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str):
        return float(value)
    text = value.strip().lower()
    if text in _WORDS:
        return float(_WORDS.index(text))
    found = _MEASURE.fullmatch(text)
    unit = found[2] if found else None
    if found is None or unit is None or (unit and not units):
        return None
    factor = _UNITS.get(unit, _UNITS.get(unit.removesuffix("s")))  # 2 minutes, 5 secs
    return None if factor is None else round(float(found[1]) * factor, 6)
