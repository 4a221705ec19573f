"""One event loop for a whole conversation, in a thread of its own: what a tool keeps that belongs to a loop (a client,
a lock) works in every call. In: awaitables. Out: what they come to.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any

from lua_cli.child.run import awaited
from lua_cli.child.watch import LOOPS


class LoopThread:
    """The loop; its thread starts when something is awaited."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                LOOPS.append(self._loop)
                threading.Thread(target=self._loop.run_forever, name="event loop", daemon=True).start()
            return self._loop

    def settle(self, value: Any) -> Any:
        """What an awaitable comes to; waits for it."""
        return self.begin(awaited(value)).result()

    def begin(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Start a coroutine; does not wait."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def busy_with(self) -> asyncio.Task[Any] | None:
        """The task that holds the loop at this moment; None when the loop waits."""
        return None if self._loop is None else asyncio.current_task(self._loop)
