"""Starts the process of a child, before it is known what the child shall do. In: a command, an environment, an empty
folder. Out: a `Begun`: the process and its pipes. The parent's side; process.py goes on with it.

The interpreter of the child takes a while to start: who begins it first and prepares the rest meanwhile does not wait
twice. So this module imports next to nothing. Nothing of the user's runs before the child has its order.
"""

from __future__ import annotations

import os
import time

from lua_cli.errors import LuaError, UsageError

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from lua_cli.child.started import Started

START = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start.py")  # noqa: PTH100, PTH118, PTH120
_FOLDERS = ("work", "home", "tmp")


class Begun:
    """A child that waits for its order.

    process  what is started
    folder   the folder of the run
    stdin    the end to write to
    reads    result, status, log: the ends to read from
    writes   answers, commands: the ends to write to
    numbers  of answers and commands in the child
    since    when it was begun, by the monotonic clock
    """

    __slots__ = ("folder", "numbers", "process", "reads", "since", "stdin", "writes")

    def __init__(
        self, command: Callable[[int, int], list[str]], environment: Mapping[str, str], folder: str, *, alone: bool
    ) -> None:
        """`command` is given the numbers of result and status. Raises OSError when it cannot be started."""
        pipes = _pipes(6)
        up, down = pipes[:3], pipes[3:]
        result, status, log = (writing for _, writing in up)
        stdin, *numbers = (reading for reading, _ in down)
        self.folder, self.since = folder, time.monotonic()
        self.reads = tuple(reading for reading, _ in up)
        self.stdin, *writes = (writing for _, writing in down)
        self.writes, self.numbers = tuple(writes), tuple(numbers)
        work = os.path.join(folder, _FOLDERS[0])  # noqa: PTH118
        try:
            words = command(result, status)
            start = _fork if alone else _spawn
            self.process = start(words, environment, work, stdin, log, (result, status, *numbers))
        except OSError:
            self.close_pipes()
            raise
        finally:
            for descriptor in (result, status, log, stdin, *numbers):
                os.close(descriptor)

    def close_stdin(self) -> None:
        """The child is not wanted any more. Again and again."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def close_pipes(self) -> None:
        """Close what is left of the pipes."""
        self.close_stdin()
        for descriptor in (*self.reads, *self.writes):
            os.close(descriptor)

    def drop(self) -> None:
        """End a child that got no order, and nobody goes on with: nothing of the user's runs in it."""
        self.process.kill()
        self.process.wait(None)
        self.close_pipes()


def _pipes(count: int) -> list[tuple[int, int]]:
    """All of them or none: where descriptors are few, what follows needs the rest."""
    made: list[tuple[int, int]] = []
    try:
        made.extend(os.pipe() for _ in range(count))
    except OSError:
        for descriptor in (end for pipe in made for end in pipe):
            os.close(descriptor)
        raise
    return made


def _fork(*given: Any) -> Started:
    from lua_cli.child.forked import start

    return start(*given)


def _spawn(*given: Any) -> Started:
    from lua_cli.child.started import start

    return start(*given)


def begin(
    interpreter: str,
    environment: Mapping[str, str],
    folder: str,
    early: Sequence[str] = (),
    wrap: Callable[[list[str]], list[str]] = list,
    *,
    alone: bool = False,
) -> Begun:
    """Start a child in the folder of a run; `alone`: this process has no other threads. Raises LuaError when that
    Python cannot be started.
    """
    words = [interpreter, "-I", "-u", "-X", "utf8", START]
    try:
        return Begun(lambda *pipes: wrap([*words, *map(str, pipes), *early]), environment, folder, alone=alone)
    except OSError as error:
        raise LuaError(
            f"cannot start {interpreter}: {error.strerror}",
            hint="see `python` in [tool.lua], or remake the virtual environment",
        ) from error


def refuse_windows() -> None:
    """Raises UsageError where a child cannot be started as it has to be."""
    if os.name == "nt":
        raise UsageError("tools run on Linux and macOS only", hint="use WSL on Windows")


def new_folder(prefix: str = "lua-run-") -> str:
    """A folder for one run: working folder, home and temporary files of the tool are made in it."""
    environ, refused = os.environ, OSError()
    places = (environ.get("TMPDIR"), environ.get("TEMP"), environ.get("TMP"), "/tmp", "/var/tmp", "/usr/tmp", ".")  # noqa: S108
    for place in filter(None, places):
        folder = os.path.join(os.path.realpath(place), prefix + os.urandom(8).hex())  # noqa: PTH118
        try:
            os.mkdir(folder, 0o700)  # noqa: PTH102
            for name in _FOLDERS:
                os.mkdir(os.path.join(folder, name))  # noqa: PTH102, PTH118
        except BaseException as error:
            _remove_empty(folder)
            if not isinstance(error, OSError):
                raise
            refused = error
            continue
        return folder
    raise refused


def _remove_empty(folder: str) -> None:
    """Remove the folder of a run in which nothing was written."""
    for name in (*_FOLDERS, ""):
        try:
            os.rmdir(os.path.join(folder, name))  # noqa: PTH106, PTH118
        except OSError:  # it was not made, or holds something
            continue


def environment_in(folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a run, with its home and its temporary files in the run's folder."""
    return {**environment, "HOME": os.path.join(folder, "home"), "TMPDIR": os.path.join(folder, "tmp")}  # noqa: PTH118
