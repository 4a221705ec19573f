"""Places of names in one file, held as numbers. In: spans as they are shown, by name. Out: a mapping that makes a
`Place` when one is asked for: most never are, and there are a dozen for a class.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

from lua_cli.diagnostics import Place
from lua_cli.source.spans import Span

_NUMBERS = 4  # line, column, end line, end column


class Places(Mapping[str, Place]):
    __slots__ = ("_names", "_numbers", "_path")

    def __init__(self, path: str, spans: Mapping[str, Span]) -> None:
        self._path, self._names = path, tuple(spans)
        self._numbers = array("I", [number for span in spans.values() for number in span]).tobytes()

    def __getitem__(self, name: str) -> Place:
        try:
            at = self._names.index(name)
        except ValueError:
            raise KeyError(name) from None
        first, numbers = at * _NUMBERS, memoryview(self._numbers).cast("I")
        return Place(self._path, *numbers[first : first + _NUMBERS])

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Places({dict(self)!r})"
