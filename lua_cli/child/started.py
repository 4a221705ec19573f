"""Starts a program for a child, from any thread. In: the command, its environment and folder, descriptors. Out: a
`Started`. The parent's side; forked.py does the same for a process that has no threads and wants to load nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Protocol


class Started(Protocol):
    """A program that runs, in a session of its own."""

    pid: int

    def wait(self, seconds: float | None) -> bool:
        """Wait for its end; whether it came in time."""

    def kill(self) -> None:
        """End it, and its group."""


class _Opened:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid, self._process = process.pid, process

    def wait(self, seconds: float | None) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        os.killpg(self.pid, signal.SIGKILL)


def start(
    command: list[str], environment: Mapping[str, str], folder: str, stdin: int, log: int, kept: Sequence[int]
) -> Started:
    """Start it; it keeps stdin, the log as stdout and stderr, and `kept`. Raises OSError."""
    process = subprocess.Popen(  # noqa: S603  # the project's Python, our script
        command, stdin=stdin, stdout=log, stderr=log, pass_fds=kept, env=environment, cwd=folder, start_new_session=True
    )
    return _Opened(process)
