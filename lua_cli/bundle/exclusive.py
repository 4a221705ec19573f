"""One process at a time in a folder. The system drops the lock with the process, however it ends."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lua_cli.errors import LuaError

_WAIT_SECONDS = 60.0
_PAUSE_SECONDS = 0.02
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}  # some network file systems


@contextmanager
def locked(path: Path, wait: float = _WAIT_SECONDS) -> Iterator[bool]:
    """Holds the lock file `path` (made when missing). Yields False on a file system that has no locks.

    Raises LuaError when another process holds it for longer than `wait` seconds.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield _acquire(handle, path, time.monotonic() + wait)
    finally:
        os.close(handle)


def _acquire(handle: int, path: Path, until: float) -> bool:
    while True:
        try:
            _try_lock(handle)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return False
            if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise
            if time.monotonic() > until:
                hint = "wait for it, or end it"
                raise LuaError(f"another lua process has been writing {path.parent} for a while", hint=hint) from None
            time.sleep(_PAUSE_SECONDS)
        else:
            return True


def _try_lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
