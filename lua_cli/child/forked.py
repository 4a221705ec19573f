"""Starts a program for a child out of a process that has no other threads. In and out: as started.py. Loads nothing,
where `subprocess` costs a third of a bare Python.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False  # what type checkers take for true
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KILL = 9
_PAUSE, _LONGEST = 0.0005, 0.02  # seconds between two looks
_DESCRIPTORS = "/dev/fd"  # Linux and macOS list a process's own descriptors there


class Forked:
    """A program that was started; its `wait` is for one thread."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._ended = False

    def wait(self, seconds: float | None) -> bool:
        """Wait for its end; whether it came in time."""
        until = None if seconds is None else time.monotonic() + seconds
        pause = _PAUSE
        while not self._ended:
            self._ended = os.waitpid(self.pid, 0 if until is None else os.WNOHANG)[0] == self.pid
            if self._ended or (until is not None and time.monotonic() >= until):
                break
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST)
        return self._ended

    def kill(self) -> None:
        """End it, and its group."""
        os.killpg(self.pid, _KILL)


def start(
    command: list[str], environment: Mapping[str, str], folder: str, stdin: int, log: int, kept: Sequence[int]
) -> Forked:
    """Start it; it keeps stdin, the log as stdout and stderr, and `kept`. Raises OSError."""
    foreign = _inherited()
    reading, writing = os.pipe()  # closed by the program that is started: what comes through it is why there is none
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            os.chdir(folder)
            for descriptor, number in ((stdin, 0), (log, 1), (log, 2)):
                os.dup2(descriptor, number)
            for descriptor in foreign:
                os.close(descriptor)
            for descriptor in kept:
                os.set_inheritable(descriptor, True)
            os.execve(command[0], command, dict(environment))  # noqa: S606  # the project's Python, our script
        except OSError as error:
            os.write(writing, b"%d" % (error.errno or 0))
        finally:
            os._exit(127)
    os.close(writing)
    problem = os.read(reading, 16)
    os.close(reading)
    if problem:
        os.waitpid(pid, 0)
        number = int(problem)
        raise OSError(number, os.strerror(number))
    return Forked(pid)


def _inherited() -> list[int]:
    """What the shell left open for this process, and no child of it shall have. Raises OSError where there is no
    list."""
    found = [int(name) for name in os.listdir(_DESCRIPTORS) if name.isdigit() and int(name) > 2]  # noqa: PTH208
    return [descriptor for descriptor in found if _is_inheritable(descriptor)]


def _is_inheritable(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # the listing itself
        return False
