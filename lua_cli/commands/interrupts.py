"""Ctrl-C during a turn ends the turn, not the process: what runs is stopped, and the transcript is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lua_cli.runtime.turns import Cancellation


@contextmanager
def cancelled_by_interrupt(cancellation: Cancellation) -> Iterator[None]:
    """While it holds, an interrupt cancels; the second one interrupts as ever."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def cancel(_number: int, _frame: Any) -> None:
        signal.signal(signal.SIGINT, before)
        cancellation.cancel()

    signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
