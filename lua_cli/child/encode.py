"""Values → JSON text: the one encoder of what tools return. In: a value. Out: ASCII JSON, or NotJsonError.

docs/running.md has the table. Never a `repr`, never a silent null: what has no place in the table is an error. The text
is written here, not by the json module, so that nothing that a tool patches changes it.
"""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring_ascii as _quote  # the C function, held from here on
from typing import Any

MAX_DEPTH, MAX_ITEMS, MAX_BYTES = 200, 10_000, 10 * 1024 * 1024
_EXACT = 2**53
Path = tuple[str | int, ...]


class NotJsonError(Exception):
    """A value that has no JSON. `path` is a JSON Pointer."""

    def __init__(self, path: Path, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.path, self.hint = _clean(pointer(path)), hint
        self.message, self.what = _clean(f"{spelled(path)} {what}"), what


def _clean(text: str) -> str:
    """`text` without half surrogates, which could not be sent."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def pointer(path: Path) -> str:
    """A path as JSON Pointer: /items/1/conn."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def spelled(path: Path) -> str:
    """A path as one would write it in Python: result.items[1].conn."""
    out = "result"
    for part in path:
        plain = isinstance(part, str) and part.isidentifier()
        out += f".{part}" if plain else f"[{part!r}]" if isinstance(part, str) else f"[{part}]"
    return out


def encode(
    value: Any, settle: Callable[[Any], Any] | None = None, notes: list[str] | None = None, limit: int = MAX_BYTES
) -> str:
    """`value` as JSON text.

    settle  gives what an awaitable or an async iterator comes to; without it they are errors
    notes   gets a line for each thing that is right and may surprise
    limit   the largest text
    """
    encoder = _Encoder(settle, [] if notes is None else notes, limit)
    encoder.write(value, ())
    return "".join(encoder.out)


class _Encoder:
    def __init__(self, settle: Callable[[Any], Any] | None, notes: list[str], limit: int) -> None:
        self.out: list[str] = []
        self.settle, self.notes = settle, notes
        self._size, self._limit = 0, limit
        self._open: set[int] = set()

    def put(self, text: str) -> None:
        self.out.append(text)
        self._size += len(text)
        if self._size > self._limit:
            raise NotJsonError(
                (), f"is larger than {self._limit // 1024**2} MiB as JSON", "return less, or a reference to it"
            )

    def write(self, value: Any, path: Path) -> None:
        kind = type(value)
        if value is None:
            self.put("null")
        elif kind is bool:
            self.put("true" if value else "false")
        elif kind is str:
            self.put(self.text(value, path))
        elif kind is int:
            self.integer(value, path)
        elif kind is float:
            self.put(self.number(value, path))
        elif kind is dict:
            self.object(value, path)
        elif kind is list or kind is tuple:
            self.array(value, value, path)
        else:
            from lua_cli.child.rich import write_rich

            write_rich(self, value, path)

    def text(self, value: str, path: Path) -> str:
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                broken = f"U+{ord(value[error.start]):04X}"
                raise NotJsonError(
                    path,
                    f"has half of a surrogate pair ({broken} at character {error.start})",
                    "it is no text: decode it anew",
                ) from None
        return str(_quote(value))

    def integer(self, value: int, path: Path) -> None:
        if not -_EXACT <= value <= _EXACT:
            self.notes.append(
                f"{spelled(path)} is beyond 2**53: readers that know only doubles (JavaScript) lose digits"
            )
        try:
            self.put(int.__repr__(value))
        except ValueError:
            raise NotJsonError(
                path, "is an int with more digits than Python prints", "return it as text in hexadecimal"
            ) from None

    def number(self, value: float, path: Path) -> str:
        if value != value or value in (float("inf"), float("-inf")):
            name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
            raise NotJsonError(path, f"is {name}, which JSON does not have", "return None, or leave it out")
        return float.__repr__(value)

    def enter(self, value: Any, path: Path) -> None:
        if id(value) in self._open:
            raise NotJsonError(path, "contains itself", "return a structure without cycles")
        if len(path) >= MAX_DEPTH:
            raise NotJsonError(path[:3], f"is nested deeper than {MAX_DEPTH} levels", "return a flatter structure")
        self._open.add(id(value))

    def leave(self, value: Any) -> None:
        self._open.discard(id(value))

    def object(self, value: Any, path: Path) -> None:
        """A mapping: keys become text, and two that become the same are an error."""
        self.object_of(value, value, path)

    def object_of(self, holder: Any, value: Any, path: Path) -> None:
        """The same, for a mapping that stands for `holder` (a dataclass)."""
        self.enter(holder, path)
        self.put("{")
        seen: set[str] = set()
        for position, (key, item) in enumerate(value.items()):
            name = key if type(key) is str else self.key(key, path)
            if name in seen:
                raise NotJsonError(path, f"has two keys that are both {name!r} as text", "use one kind of key")
            seen.add(name)
            self.put((", " if position else "") + self.text(name, (*path, name)) + ": ")
            self.write(item, (*path, name))
        self.put("}")
        self.leave(holder)

    def key(self, key: Any, path: Path) -> str:
        if key is None:
            return "null"
        if type(key) is bool:
            return "true" if key else "false"
        if type(key) is int:
            return int.__repr__(key)
        if type(key) is float:
            return self.number(key, path)
        from lua_cli.child.rich import rich_key

        return rich_key(self, key, path)

    def array(self, holder: Any, items: Any, path: Path) -> None:
        self.enter(holder, path)
        self.put("[")
        for position, item in enumerate(items):
            if position:
                self.put(", ")
            self.write(item, (*path, position))
        self.put("]")
        self.leave(holder)
