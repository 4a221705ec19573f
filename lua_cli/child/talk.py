"""The parent's side of a child that goes on: one command after another. In: an `Order`, commands. Out: what each came
to, as an `Ended`; whether the child is of use afterwards. Used by one thread at a time, `stop` apart.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from lua_cli.child.launch import Ended, Order, check_sandbox, read_trace, start_child
from lua_cli.child.process import frames_of
from lua_cli.records import record

_START = 10.0  # for the interpreter to start, and to import what a command needs before its time begins
_GRACE = 1.0  # after the time limit, for the child to say where it was


@record(frozen=True)
class Said:
    """What a command came to. `alive`: the child takes further commands."""

    ended: Ended
    alive: bool


class Talk:
    """A started child. Raises LuaError when that Python cannot be started or is too old."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._child, body, self._trace = start_child(order)
        self._number, self._open, self._lock = 0, True, threading.Lock()
        self._code: int | None = None
        self._started = False
        self._child.order(body)

    def do(self, command: Mapping[str, Any], seconds: float, *, waits: bool = False) -> Said:
        """Have a command done, within `seconds`. `waits`: its time begins when the child says so."""
        begun = time.monotonic()
        self._number += 1
        if self._number == 1:
            self._pump("B", begun + _START)
            self._started = self._heard("B") > 0
        self._child.renew(self._order.limits.answer)
        timed_out = False
        if self._started:
            self._child.command({**command, "number": self._number})
            timed_out = waits and self._pump("BRT", time.monotonic() + _START)
            timed_out = timed_out or self._pump("RT", time.monotonic() + seconds + _GRACE)
        alive = self._heard("R") > 0 and not self._child.hung_up
        self._child.drain()
        if not alive:
            self.close()
        return Said(self._ended(time.monotonic() - begun, timed_out), alive)

    def _pump(self, letters: str, until: float) -> bool:
        """Until one of these frames came; whether time was up before."""
        return self._child.pump(lambda: until - time.monotonic(), lambda: any(map(self._heard, letters)))

    def _heard(self, letter: str) -> int:
        return sum(1 for sort, _ in self._child.reader.frames if sort == letter)

    def _ended(self, seconds: float, timed_out: bool) -> Ended:
        frames = tuple(frames_of(self._child.reader.frames))
        logs = self._child.take_log()
        check_sandbox(self._order, self._code, logs)
        late = timed_out or "T" in [letter for letter, _ in frames]
        return Ended(frames, self._code, self._child.limit, late, logs, read_trace(self._trace), seconds)

    def stop(self) -> None:
        """End what is going on, from any thread: `do` returns, and the child is gone."""
        with self._lock:
            if self._open:
                self._child.hang_up()

    def close(self) -> None:
        """End the child. Again and again."""
        with self._lock:
            if self._open:
                self._open = False
                self._code = self._child.finish()
