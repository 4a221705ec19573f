"""The document of a build as it lies on the disk: JSON with a line for each of its parts. In: parts, or bytes. Out: the
other; a part is read when it is asked for, and what did not change is written as it stood there. Pure.

One line for each part is many times faster to write than an indented document, and lets an edit leave alone what it
does not touch: the tools of a large project are most of it.
"""

from __future__ import annotations

from lua_cli.plain_json import dumps, loads

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class Document:
    """`document["skills"]` is a part. Raises ValueError for bytes that were written by something else."""

    __slots__ = ("_lines", "_values")

    def __init__(self, content: bytes) -> None:
        first, *lines, last, end = content.decode("utf-8", "surrogatepass").split("\n")
        if (first, last, end) != ("{", "}", ""):
            raise ValueError("no document of a build")
        self._values: dict[str, Any] = {}
        self._lines = dict(_parted(line) for line in lines)

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = loads(self._lines[name])
        return self._values[name]

    def whole(self) -> dict[str, Any]:
        """All parts, as JSON has them."""
        return {name: self[name] for name in self._lines}

    def with_parts(self, new: Mapping[str, Any]) -> Document:
        """The same with other values of some parts."""
        made = Document(b"{\n}\n")
        made._lines = {**self._lines, **{name: dumps(value, ascii_only=False) for name, value in new.items()}}
        made._values = {**self._values, **new}
        return made

    def content(self) -> bytes:
        lines = ",\n".join(f"  {dumps(name)}: {line}" for name, line in self._lines.items())
        return f"{{\n{lines}\n}}\n".encode("utf-8", "surrogatepass")


def written(parts: Mapping[str, Any]) -> Iterator[bytes]:
    """The document of these parts, piece by piece: as a whole it would weigh several times what it says."""
    before = "{\n"
    for name, value in parts.items():
        yield f"{before}  {dumps(name)}: ".encode()
        yield from (piece.encode("utf-8", "surrogatepass") for piece in _pieces(value))
        before = ",\n"
    yield b"\n}\n" if parts else b"{\n\n}\n"


def _pieces(value: Any) -> Iterator[str]:
    if not isinstance(value, list):
        yield dumps(value, ascii_only=False)
        return
    before = "["
    for each in value:
        yield before + dumps(each, ascii_only=False)
        before = ", "
    yield "]" if value else "[]"


def _parted(line: str) -> tuple[str, str]:
    name, colon, value = line.removesuffix(",").partition('": ')
    if name[:3] != '  "' or not name[3:].isidentifier() or not colon:
        raise ValueError("no document of a build")
    return name[3:], value
