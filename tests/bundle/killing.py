"""Runs an action in a forked process that dies at its N-th step on the disk, or whose N-th step fails.

A step is a call that changes a file system, or a sync. Forked, because a hundred fresh interpreters take a minute.
"""

from __future__ import annotations

import builtins
import io
import os
import select
import signal
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lua_cli.errors import LuaError

STEPS = ("mkdir", "rename", "replace", "unlink", "symlink", "fsync", "rmdir", "utime")
_DONE, _SAID, _BUG, _UNREACHED = 0, 1, 2, 7


@dataclass(frozen=True)
class End:
    """How it ended: `killed`; `refused` with what a LuaError said; or `done`; `unreached`: there are fewer steps."""

    killed: bool = False
    unreached: bool = False
    refused: str = ""


class Disk:
    """Counts the steps, and stops at the one it was told."""

    def __init__(self, stop_at: int, error: int | None) -> None:
        self.left = stop_at
        self.error = error

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            if self.error is not None:
                raise OSError(self.error, os.strerror(self.error))
            os.kill(os.getpid(), signal.SIGKILL)

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.step()
            return function(*args, **kwargs)

        return counted

    def wrap_open(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if set(mode) & set("wxa+"):
                self.step()
            return function(file, mode, *args, **kwargs)

        return counted

    def watch(self) -> None:
        for name in STEPS:
            setattr(os, name, self.wrap(getattr(os, name)))
        io.open = builtins.open = self.wrap_open(io.open)  # type: ignore[assignment]


class Child:
    """A forked process that runs an action."""

    def __init__(self, action: Callable[[], object], step: int = 0, error: int | None = None) -> None:
        reader, writer = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a test runner has threads; the child uses none
            self._pid = os.fork()
        if self._pid == 0:
            _child(step, action, error, writer)
        os.close(writer)
        self._pipe = os.fdopen(reader, "rb")

    def is_running(self) -> bool:
        readable, _, _ = select.select([self._pipe], [], [], 0)
        return not readable

    def end(self) -> End:
        """Waits for its end."""
        with self._pipe:
            said = self._pipe.read().decode()
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        assert code != _BUG, said
        assert code in (_DONE, _SAID, _UNREACHED, -signal.SIGKILL)
        return End(killed=code == -signal.SIGKILL, unreached=code == _UNREACHED, refused=said)


def run_until(step: int, action: Callable[[], object], error: int | None = None) -> End:
    """Runs `action` in a child that is killed at `step`, or whose `step` fails with `error`."""
    return Child(action, step, error).end()


def _child(step: int, action: Callable[[], object], error: int | None, writer: int) -> None:
    try:
        disk = Disk(step, error)
        disk.watch()
        action()
        os._exit(_UNREACHED if disk.left > 0 else _DONE)
    except LuaError as refused:
        os.write(writer, f"{refused.message} ({refused.hint})".encode())
        os._exit(_SAID)
    except BaseException:
        os.write(writer, traceback.format_exc().encode())
        os._exit(_BUG)
