"""Work in a fork of this process, with a time limit. In: a function. Out: how the fork ended. Nothing of the fork
comes back but that.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable

_GRACE = 0.5  # the fork ends itself at its time limit, and says where it was; after this it is killed
_PAUSE = 0.002
TIMED_OUT = 124


def in_fork(work: Callable[[], None], seconds: float) -> int:
    """Run `work` in a fork; gives its exit code (TIMED_OUT when it was killed for that), or the negative number of the
    signal that ended it.
    """
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001  # it must not return into the parent's code
            import traceback

            traceback.print_exc()
            os._exit(70)
        os._exit(0)
    status = _status(pid, seconds + _GRACE)
    if status is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return TIMED_OUT
    return os.waitstatus_to_exitcode(status)


def _status(pid: int, seconds: float) -> int | None:
    """How a fork ended; None when it did not in that time."""
    try:
        ended = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or an old one: nobody tells
        return _looked_for(pid, seconds)
    try:
        return os.waitpid(pid, 0)[1] if select.select([ended], [], [], seconds)[0] else None
    finally:
        os.close(ended)


def _looked_for(pid: int, seconds: float) -> int | None:
    until = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if time.monotonic() > until:
            return None
        time.sleep(_PAUSE)
