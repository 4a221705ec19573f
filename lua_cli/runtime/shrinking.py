"""Simpler versions of a JSON value. In: a value. Out: values that are smaller in one place, the smallest first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def simpler(value: Any, most: int) -> list[Any]:
    """Up to `most` values that are simpler than `value`, each once, the simplest first."""
    size = measure(value)
    found = {json.dumps(candidate): candidate for candidate in _simpler(value)}
    smaller = [candidate for candidate in found.values() if measure(candidate) < size]
    return sorted(smaller, key=measure)[:most]


def measure(value: Any) -> tuple[int, str]:
    """How large a value is: the length of its JSON, then its text."""
    text = json.dumps(value, sort_keys=True)
    return len(text), text


def _simpler(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in value:
            yield {name: item for name, item in value.items() if name != key}
        for key, item in value.items():
            for candidate in _simpler(item):
                yield {**value, key: candidate}
    elif isinstance(value, list):
        yield []
        yield value[: len(value) // 2]
        yield value[len(value) // 2 :]
        for position, item in enumerate(value):
            yield value[:position] + value[position + 1 :]
            for candidate in _simpler(item):
                yield [*value[:position], candidate, *value[position + 1 :]]
    elif isinstance(value, str):
        yield from _simpler_text(value)
    elif isinstance(value, bool):
        yield False
    elif isinstance(value, int | float):
        yield from _simpler_number(value)


def _simpler_text(text: str) -> Iterator[str]:
    half = len(text) // 2
    yield from ("", text[:half], text[half:], text[1:], text[:-1])
    yield "".join(character if character.isascii() and character.isprintable() else "a" for character in text)


def _simpler_number(number: int | float) -> Iterator[int | float]:
    yield 0
    if isinstance(number, float):
        yield int(number)
    whole = int(number)
    step = abs(whole) // 2
    while step:
        yield whole - step if whole > 0 else whole + step
        step //= 2
