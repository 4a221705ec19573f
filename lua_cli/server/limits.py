"""How much a client may ask for: requests a second, bytes at once, the size of a body. In: what is asked. Out: nothing,
or a refusal (429, 413). Holds state of the running server alone; each replica has its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lua_cli.bundle.archive import MAX_ARCHIVE
from lua_cli.records import record
from lua_cli.server.refusing import RefusedError

JSON_LIMIT = 32 * 1024 * 1024
BLOB_LIMIT = MAX_ARCHIVE
_REMEMBERED = 10_000


@record(frozen=True)
class Limits:
    """`rate` requests a second for each key, ten times that at once; `at_once` bytes of bodies in memory."""

    rate: float = 100.0
    at_once: int = 512 * 1024 * 1024
    requests: int = 256


class Gate:
    """Lets requests in. For one thread."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._bytes = 0
        self._running = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        if self._running >= self._limits.requests:
            raise RefusedError(429, "busy", "too many requests at once")
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    def pass_key(self, key: str) -> None:
        """Count one request of a key."""
        rate, now = self._limits.rate, self._clock()
        most = rate * 10
        left, since = self._buckets.get(key, (most, now))
        left = min(most, left + (now - since) * rate)
        if left < 1:
            raise RefusedError(429, "rate", f"more than {rate:g} requests a second")
        if len(self._buckets) >= _REMEMBERED:
            self._buckets.clear()
        self._buckets[key] = (left - 1, now)

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """Room in memory for the body of a request."""
        if self._bytes + size > self._limits.at_once:
            raise RefusedError(429, "busy", "too much is being uploaded at once")
        self._bytes += size
        try:
            yield
        finally:
            self._bytes -= size
