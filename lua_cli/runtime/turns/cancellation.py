"""The wish that a turn ends. In: `cancel`, from any thread. Out: those who asked to be told, are."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancellation:
    """Ends a turn from another thread. The loop looks before each model call and tool call; whoever runs something
    that takes long asks to be told, so that it can stop it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._told: dict[int, Callable[[], None]] = {}
        self._next = 0

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Cancel, once: later calls do nothing."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled, told = True, list(self._told.values())
        for tell in told:
            tell()

    def renew(self) -> None:
        """Begin anew, for whoever is told now and from now on."""
        self._cancelled = False

    def when_cancelled(self, tell: Callable[[], None]) -> Callable[[], None]:
        """`tell` is called when it happens (at once when it has happened); gives a function that takes this back."""
        with self._lock:
            if not self._cancelled:
                key = self._next = self._next + 1
                self._told[key] = tell
                return lambda: self._forget(key)
        tell()
        return lambda: None

    def _forget(self, key: int) -> None:
        with self._lock:
            self._told.pop(key, None)
