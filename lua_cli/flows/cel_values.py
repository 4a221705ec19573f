"""JSON values ↔ CEL's values. In: JSON, or what the engine gives. Out: what the engine takes, or JSON. Runs nothing.

Numbers become doubles; what comes back without a fraction has none. Timestamps are RFC 3339, durations `5400s`, bytes
base64, types their names; map keys are texts, sorted.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from lua_cli.flows.json_text import plain_number
from lua_cli.records import record

MAX_DEPTH = 200
MAX_NODES, MAX_TEXT = 5_000_000, 100_000_000


class NotJsonError(Exception):
    """A result that JSON cannot say."""


@record
class Converted:
    """A value for the engine, and its size: `nodes` values, `characters` of text."""

    value: Any = None
    nodes: int = 0
    characters: int = 0


def to_cel(value: Any) -> Converted:
    """A JSON value as the engine takes it: every number is a double. Raises ValueError for what is no JSON or too
    large, OverflowError for an integer that is no double."""
    out = Converted()
    out.value = _to_cel(value, out, 0)
    return out


def _to_cel(value: Any, out: Converted, depth: int) -> Any:
    out.nodes += 1
    if depth > MAX_DEPTH:
        raise ValueError(f"the message is nested more than {MAX_DEPTH} levels deep")
    if out.nodes > MAX_NODES:
        raise ValueError(f"the message is too large: it has more than {MAX_NODES:,} values")
    if isinstance(value, str):
        out.characters += len(value)
        if out.characters > MAX_TEXT:
            raise ValueError(f"the message is too large: its texts have more than {MAX_TEXT:,} characters")
        return value
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): _to_cel(item, out, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_cel(item, out, depth + 1) for item in value]
    raise ValueError(f"the message holds a {type(value).__name__}, which is no JSON")


def from_cel(value: Any) -> Any:
    """What the engine gave as JSON. Raises NotJsonError."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise NotJsonError(f"the result holds {value}, which JSON cannot say")
        return plain_number(value)
    if isinstance(value, dict):
        return _map(value)
    if isinstance(value, list):
        return [from_cel(item) for item in value]
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return _seconds(value)
    if hasattr(value, "name"):  # a type
        return str(value.name()).lower()
    raise NotJsonError(f"the result holds a {type(value).__name__}, which JSON cannot say")


def _map(value: dict[Any, Any]) -> dict[str, Any]:
    found = {_key(name): name for name in value}
    if len(found) < len(value):
        names = [_key(name) for name in value]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotJsonError(f"the result holds a map with two keys that JSON writes as {twice!r}")
    return {key: from_cel(value[name]) for key, name in sorted(found.items())}


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key)


def _seconds(duration: timedelta) -> str:
    micros = (duration.days * 86_400 + duration.seconds) * 1_000_000 + duration.microseconds
    whole, rest = divmod(abs(micros), 1_000_000)
    fraction = f".{rest:06}".rstrip("0") if rest else ""
    return f"{'-' if micros < 0 else ''}{whole}{fraction}s"
