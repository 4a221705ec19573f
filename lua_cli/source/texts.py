"""The texts of sources, packed but for those that were asked for last. In: texts, by file. Out: the same texts.

All of them weigh more than what is known of the sources in the end, and most are asked for a few times: when they are
read, and by the rules that look for words. Unpacking one takes a few microseconds.
"""

from __future__ import annotations

from pathlib import Path
from zlib import compress, decompress

_MOST_WHOLE = 64
_LEVEL = 1  # the others take longer, and a third of the size is what can be had


class Texts:
    def __init__(self) -> None:
        self._whole: dict[Path, str] = {}
        self._packed: dict[Path, bytes] = {}

    def get(self, path: Path) -> str | None:
        """The text of a file; None for one that was not added."""
        text = self._whole.get(path)
        if text is None and path in self._packed:
            text = decompress(self._packed[path]).decode("utf-8", "surrogatepass")
            self._hold(path, text)
        return text

    def add(self, path: Path, text: str) -> None:
        self._hold(path, text)

    def _hold(self, path: Path, text: str) -> None:
        if len(self._whole) == _MOST_WHOLE:
            oldest = next(iter(self._whole))
            left = self._whole.pop(oldest)
            if oldest not in self._packed:
                self._packed[oldest] = compress(left.encode("utf-8", "surrogatepass"), _LEVEL)
        self._whole[path] = text
