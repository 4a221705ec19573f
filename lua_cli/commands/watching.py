"""Does a piece of work again whenever the files of a project change. In: a folder, the work. Ends by an interrupt only.

Looks at times and sizes again and again, so it sees every way to save a file and needs nothing of the system.
Folders that nothing is bundled from (virtual environments, caches, the output of lua-cli) do not count.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lua_cli.errors import LuaError
from lua_cli.source.denied import denied_folder

Facts = tuple[int, int, int]
_TICK = 100_000_000  # nanoseconds: in so little, two changes can give a folder the same time


class Snapshot(NamedTuple):
    """The files below a folder, and the folders: a name that comes or goes changes the time of its folder. `taken`:
    when, in nanoseconds since the epoch."""

    files: dict[str, Facts]
    folders: dict[str, int]
    taken: int

    def holds(self) -> bool:
        """Whether all is as it was, for a fifth of what a new snapshot takes."""
        try:
            return all(os.stat(path).st_mtime_ns == was for path, was in self.folders.items()) and all(  # noqa: PTH116
                _facts(os.stat(path)) == was  # noqa: PTH116  # a thousand of these, many times a second
                for path, was in self.files.items()
            )
        except OSError:
            return False


class Pace(NamedTuple):
    """Seconds between two looks, never less than `share` times what a look takes, and after which nothing moves any
    more."""

    look: float = 0.3
    settled: float = 0.1
    share: float = 0.0


CALM = Pace()
PROMPT = Pace(look=0.02, settled=0.005, share=5.0)  # for work that is quick itself; at most a sixth of a core


def again_and_again(root: Path, work: Callable[[], object], without: Collection[Path] = (), pace: Pace = CALM) -> None:
    """Work now, and after each change of a file below `root` that is not one of `without`. What the work has to say of
    an error is printed, and the next change is waited for.
    """
    from lua_cli.commands.session import fail, note

    ignored = {str(path.absolute()) for path in without}
    before = _snapshot(root, ignored)
    while True:
        try:
            work()
        except LuaError as error:
            fail(error)
        note("waiting for changes; Ctrl-C ends it")
        now = _after_change(root, ignored, before, pace)
        changed, before = _differing(root, before, now), now
        note(f"\n{', '.join(changed[:3])}{' …' if len(changed) > 3 else ''} changed")


def _after_change(root: Path, ignored: Collection[str], before: Snapshot, pace: Pace) -> Snapshot:
    """The files when some are not as before, and nothing moves any more."""
    while True:
        begun = time.monotonic()
        if not before.holds():
            now = _renewed(root, ignored, before)
            if now.files != before.files:
                break
            before = now  # a folder was written to, by the work itself perhaps
        time.sleep(max(pace.look, pace.share * (time.monotonic() - begun)))
    while True:
        time.sleep(pace.settled)
        moving = {path: facts for path, facts in now.files.items() if before.files.get(path) != facts}
        if Snapshot(moving, now.folders, now.taken).holds():  # what else changes meanwhile is the next change
            return now
        now = _renewed(root, ignored, now)


def _differing(root: Path, before: Snapshot, now: Snapshot) -> list[str]:
    """The files that are not as before, relative to the root."""
    names = sorted(
        name for name in before.files.keys() | now.files.keys() if before.files.get(name) != now.files.get(name)
    )
    return [os.path.relpath(name, root) for name in names] or ["a file"]


def _renewed(root: Path, ignored: Collection[str], before: Snapshot) -> Snapshot:
    """A snapshot after another one: a folder whose time is what it was has the names that it had."""
    found = Snapshot({}, {}, time.time_ns())
    written: set[str] = set()
    try:
        for folder, was in before.folders.items():
            found.folders[folder] = now = os.stat(folder).st_mtime_ns  # noqa: PTH116
            if now != was or was > before.taken - _TICK:
                written.add(folder)
                for entry in list(os.scandir(folder)):
                    if not entry.is_dir(follow_symlinks=False):
                        if entry.path not in ignored:
                            found.files[entry.path] = _facts(entry.stat())
                    elif entry.path not in before.folders and not denied_folder(Path(entry.path)):
                        return _snapshot(root, ignored)  # it may hold anything
        for path in before.files:
            if os.path.dirname(path) not in written:  # noqa: PTH120  # a thousand of these
                found.files[path] = _facts(os.stat(path))  # noqa: PTH116
    except OSError:  # something is gone
        return _snapshot(root, ignored)
    return found


def _snapshot(root: Path, ignored: Collection[str]) -> Snapshot:
    found = Snapshot({}, {}, time.time_ns())
    waiting = [str(root)]
    while waiting:
        folder = waiting.pop()
        try:
            found.folders[folder] = os.stat(folder).st_mtime_ns  # noqa: PTH116
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting += [] if denied_folder(Path(entry.path)) else [entry.path]
            elif entry.path not in ignored:
                with suppress(OSError):  # gone meanwhile
                    found.files[entry.path] = _facts(entry.stat())
    return found


def _facts(stat: os.stat_result) -> Facts:
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
