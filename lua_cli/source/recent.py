"""What was asked for last, where all of it would weigh too much. In: values by key. Out: the same, or nothing."""

from __future__ import annotations

from typing import TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")
_MOST = 64


class Recent(dict[_K, _V]):
    """A dict that begins anew when it is full: whoever asks for a source asks again soon, or not at all."""

    def __setitem__(self, key: _K, value: _V) -> None:
        if len(self) == _MOST and key not in self:
            self.clear()
        super().__setitem__(key, value)
