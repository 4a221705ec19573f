"""The types that are no JSON by themselves and have one all the same. In: a value and the encoder. Out: more text, or
NotJsonError.

Imported at the first value that is none of JSON's own types. pydantic is used when it is loaded, never loaded for
this.
"""

from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import enum
import inspect
import pathlib
import re
import sys
import types
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from lua_cli.child.encode import MAX_ITEMS, NotJsonError, Path, encode

_TOKEN = f"lua:{uuid.uuid4().hex}:"
_ARRAYS: tuple[type, ...] = (
    list,
    tuple,
    collections.deque,
    range,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)


def write_rich(encoder: Any, value: Any, path: Path) -> None:
    """Write a value whose type is none of JSON's own."""
    if isinstance(value, enum.Enum):
        encoder.write(value.value, path)
    elif _has_serializer(value):
        _write_pydantic(encoder, value, path)
    elif (text := _as_text(value, path)) is not None:
        encoder.put(encoder.text(text, path))
    elif isinstance(value, str):
        encoder.put(encoder.text(str.__str__(value), path))
    elif isinstance(value, int):
        encoder.integer(int(value), path)
    elif isinstance(value, float):
        encoder.put(encoder.number(float(value), path))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        _write_dataclass(encoder, value, path)
    elif isinstance(value, Mapping):
        encoder.object(value, path)
    elif isinstance(value, _ARRAYS):
        encoder.array(value, value, path)
    elif isinstance(value, set | frozenset):
        _write_set(encoder, value, path)
    else:
        _write_pending(encoder, value, path)


def rich_key(encoder: Any, key: Any, path: Path) -> str:
    """A mapping's key as text."""
    if isinstance(key, enum.Enum):
        return key.value if type(key.value) is str else str(encoder.key(key.value, path))
    text = _as_text(key, path)
    if text is not None:
        return text
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, int):
        return int.__repr__(int(key))
    raise NotJsonError(path, f"has a key that is {_a(key)}", "keys of JSON are text: use a string, or a list of pairs")


def _as_text(value: Any, path: Path) -> str | None:
    """What is a string in JSON: dates, numbers without loss, identifiers, paths, bytes."""
    if isinstance(value, datetime.datetime | datetime.time):
        text = value.isoformat()
        return text[:-6] + "Z" if text.endswith("+00:00") else text
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise NotJsonError(
                path, f"is Decimal({str(value)!r}), which JSON does not have", "return None, or leave it out"
            )
        return str(value)
    if isinstance(value, uuid.UUID | pathlib.PurePath | Fraction):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode("ascii")
    if type(value).__module__ == "ipaddress":
        return str(value)
    if isinstance(value, re.Pattern):
        return value.pattern if isinstance(value.pattern, str) else None
    return None


def _duration(value: datetime.timedelta) -> str:
    """ISO 8601, as pydantic writes it: P1DT5M0.5S."""
    sign, value = ("-", -value) if value < datetime.timedelta() else ("", value)
    hours, rest = divmod(value.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    fraction = f".{value.microseconds:06d}".rstrip("0") if value.microseconds else ""
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    if seconds or fraction:
        time += f"{seconds}{fraction}S"
    date = f"{value.days}D" if value.days else ""
    return f"{sign}P{date}" + (f"T{time}" if time else "") if date or time else "PT0S"


def _has_serializer(value: Any) -> bool:
    return not isinstance(value, type) and hasattr(type(value), "__pydantic_serializer__") and "pydantic" in sys.modules


def _write_pydantic(encoder: Any, value: Any, path: Path) -> None:
    """pydantic says how its models look as JSON; sets in them come sorted all the same."""
    strangers: list[Any] = []

    def stranger(item: Any) -> str:
        strangers.append(item)
        return f"{_TOKEN}{len(strangers) - 1}"

    encoder.enter(value, path)
    serializer = type(value).__pydantic_serializer__
    try:
        plain = serializer.to_python(value, mode="json", by_alias=True, fallback=stranger)
        typed = serializer.to_python(value, mode="python", by_alias=True, fallback=stranger)
    except ValueError as error:  # PydanticSerializationError, and what a serializer of the user's raised
        reason = str(error).partition("\n")[0]
        hint = (
            'bytes that are no UTF-8 want model_config = ConfigDict(ser_json_bytes="base64")'
            if "utf" in reason
            else None
        )
        raise NotJsonError(path, f"({type(value).__name__}) cannot be encoded: {reason}", hint) from error
    _write_dumped(encoder, plain, typed, path, strangers)
    encoder.leave(value)


def _write_dumped(encoder: Any, plain: Any, typed: Any, path: Path, strangers: list[Any]) -> None:
    _not_silently_null(encoder, plain, typed, path)
    if isinstance(plain, str) and plain.startswith(_TOKEN):
        encoder.write(strangers[int(plain[len(_TOKEN) :])], path)
    elif isinstance(plain, dict):
        pairs = typed if isinstance(typed, dict) and len(typed) == len(plain) else {}
        types_ = list(pairs.values()) if pairs else [None] * len(plain)
        encoder.put("{")
        for position, ((key, item), kind) in enumerate(zip(plain.items(), types_, strict=True)):
            encoder.put((", " if position else "") + encoder.text(key, (*path, key)) + ": ")
            _write_dumped(encoder, item, kind, (*path, key), strangers)
        encoder.put("}")
    elif isinstance(plain, list):
        if isinstance(typed, set | frozenset):
            plain, typed = sorted(plain, key=_order), None
        kinds = list(typed) if isinstance(typed, list | tuple) and len(typed) == len(plain) else [None] * len(plain)
        encoder.put("[")
        for position, (item, kind) in enumerate(zip(plain, kinds, strict=True)):
            encoder.put(", " if position else "")
            _write_dumped(encoder, item, kind, (*path, position), strangers)
        encoder.put("]")
    else:
        encoder.write(plain, path)


def _not_silently_null(encoder: Any, plain: Any, typed: Any, path: Path) -> None:
    """pydantic writes null for a NaN in a field of any type; that is an error here, as everywhere."""
    items = typed if isinstance(typed, set | frozenset) else (typed,) if plain is None else ()
    for item in items:
        if isinstance(item, float):
            encoder.number(item, path)


def _order(item: Any) -> tuple[str, Any]:
    """An order of JSON values that does not depend on the run: numbers by value, everything else by its text."""
    if isinstance(item, int | float) and not isinstance(item, bool):
        return ("", item)
    return (type(item).__name__, encode(item))


def _write_dataclass(encoder: Any, value: Any, path: Path) -> None:
    encoder.object_of(value, {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, path)


def _write_set(encoder: Any, value: Any, path: Path) -> None:
    """Sorted, so that the same set is the same text on every run."""
    parts = [(item, encode(item, encoder.settle)) for item in value]
    numbers = all(isinstance(item, int | float) and not isinstance(item, bool) for item, _ in parts)
    parts.sort(key=(lambda part: part[0]) if numbers else (lambda part: part[1]))
    encoder.array(value, [item for item, _ in parts], path)


def _write_pending(encoder: Any, value: Any, path: Path) -> None:
    """What is still to come: awaitables are awaited, generators are run to their end, up to a limit."""
    if inspect.isawaitable(value) and encoder.settle is not None:
        encoder.write(encoder.settle(value), path)
    elif isinstance(value, AsyncIterator) and encoder.settle is not None:
        encoder.array(value, encoder.settle(_collected(value, path)), path)
    elif isinstance(value, Iterator):
        items = []
        for item in value:
            items.append(item)
            _bounded(items, path)
        encoder.array(value, items, path)
    else:
        _write_known_to_pydantic(encoder, value, path)


async def _collected(value: AsyncIterator[Any], path: Path) -> list[Any]:
    items = []
    async for item in value:
        items.append(item)
        _bounded(items, path)
    return items


def _bounded(items: list[Any], path: Path) -> None:
    if len(items) > MAX_ITEMS:
        raise NotJsonError(path, f"is a generator of more than {MAX_ITEMS} items", "return a list, or stop earlier")


def _write_known_to_pydantic(encoder: Any, value: Any, path: Path) -> None:
    """The last chance: pydantic's own types (Url, SecretStr, IPv4Address …). Anything else is an own class."""
    core = sys.modules.get("pydantic_core")
    if core is not None and not isinstance(value, type | types.ModuleType | types.FunctionType | BaseException):
        try:
            plain = core.to_jsonable_python(value)
        except ValueError:  # PydanticSerializationError
            plain = value
        if plain is not value and isinstance(plain, str | int | float | bool):
            encoder.write(plain, path)
            return
    raise NotJsonError(path, f"is {_a(value)}, which has no JSON", _advice(value))


def _a(value: Any) -> str:
    """The value's type with its article; never its repr, which may hold an address or a secret."""
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    name = type(value).__qualname__
    return ("an " if name[:1].lower() in "aeiou" else "a ") + name


def _advice(value: Any) -> str:
    if inspect.isawaitable(value) or isinstance(value, AsyncIterator):
        return "await it"
    if hasattr(value, "tolist"):
        return "return value.tolist()"
    if hasattr(value, "to_dict"):
        return 'return value.to_dict(), or to_dict("records") of a table'
    if isinstance(value, complex):
        return "return its two parts"
    return "return a dict, a pydantic model or a dataclass with what the model needs to know"
