"""One process at a time in a folder. The system drops the lock with the process, however it ends."""

from __future__ import annotations

import errno
import os
import sys
import time

from lua_cli.errors import LuaError

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from pathlib import Path

_WAIT_SECONDS = 60.0
_PAUSE_SECONDS = 0.02
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}  # some network file systems


class locked:  # noqa: N801  # read as a verb: `with locked(path):`
    """Holds the lock file `path` (made when missing). Gives False on a file system that has no locks.

    Raises LuaError when another process holds it for longer than `wait` seconds.
    """

    def __init__(self, path: Path | str, wait: float = _WAIT_SECONDS) -> None:
        self._path, self._wait = path, wait

    def __enter__(self) -> bool:
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            return _acquire(self._handle, str(self._path), time.monotonic() + self._wait)
        except BaseException:
            os.close(self._handle)
            raise

    def __exit__(self, *_raised: object) -> None:
        os.close(self._handle)


def _acquire(handle: int, path: str, until: float) -> bool:
    while True:
        try:
            _try_lock(handle)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return False
            if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise
            if time.monotonic() > until:
                where, hint = os.path.dirname(path), "wait for it, or end it"
                raise LuaError(f"another lua process has been writing {where} for a while", hint=hint) from None
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
