"""The texts of sources: those of very large projects are packed, but for some. In: texts, by file. Out: the same texts.

Up to some size they are nothing that anybody notices, and unpacking one takes longer than all else that is asked of it.
"""

from __future__ import annotations

from pathlib import Path

from lua_cli.packed import Packed
from lua_cli.source.recent import Recent

_MOST_WHOLE = 1500


class Texts:
    def __init__(self) -> None:
        self._whole: dict[Path, str] = {}
        self._recent: Recent[Path, str] = Recent()
        self._packed: dict[Path, Packed] = {}

    def get(self, path: Path) -> str | None:
        """The text of a file; None for one that was not added."""
        text = self._whole.get(path)
        if text is None:
            text = self._recent.get(path)
        if text is None and path in self._packed:
            text = self._packed[path].whole().decode("utf-8", "surrogatepass")
            self._recent[path] = text
        return text

    def packed(self, path: Path) -> Packed | None:
        """The text in UTF-8 as it is held; None where it is not held so."""
        return self._packed.get(path)

    def add(self, path: Path, text: str) -> None:
        if len(self._whole) < _MOST_WHOLE:
            self._whole[path] = text
        else:
            self._packed[path] = Packed(text.encode("utf-8", "surrogatepass"))
            self._recent[path] = text
