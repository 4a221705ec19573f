"""Does a piece of work again whenever the files of a project change. In: a folder, the work. Ends by an interrupt only.

Looks at times and sizes again and again, so it sees every way to save a file and needs nothing of the system.
Folders that nothing is bundled from (virtual environments, caches, the output of lua-cli) do not count.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from lua_cli.errors import LuaError
from lua_cli.source.denied import denied_folder

Snapshot = dict[str, tuple[int, int, int]]


class Pace(NamedTuple):
    """Seconds between two looks, never less than `share` times what a look takes, and after which nothing moves any
    more."""

    look: float = 0.3
    settled: float = 0.1
    share: float = 0.0


CALM = Pace()
PROMPT = Pace(look=0.03, settled=0.01, share=10.0)  # for work that is quick itself; at most a tenth of a core


def again_and_again(root: Path, work: Callable[[], object], without: Collection[Path] = (), pace: Pace = CALM) -> None:
    """Work now, and after each change of a file below `root` that is not one of `without`. What the work has to say of
    an error is printed, and the next change is waited for.
    """
    from lua_cli.commands.session import fail, note

    ignored = {str(path.absolute()) for path in without}
    while True:
        before = _snapshot(root, ignored)
        try:
            work()
        except LuaError as error:
            fail(error)
        note("waiting for changes; Ctrl-C ends it")
        changed = _changed(root, ignored, before, pace)
        note(f"\n{', '.join(changed[:3])}{' …' if len(changed) > 3 else ''} changed")


def _changed(root: Path, ignored: Collection[str], before: Snapshot, pace: Pace) -> list[str]:
    """The files that are not as before, relative to the root; waits until there are some, and nothing moves."""
    now = _snapshot(root, ignored)
    while now == before:
        begun = time.monotonic()
        now = _snapshot(root, ignored)
        if now == before:
            time.sleep(max(pace.look, pace.share * (time.monotonic() - begun)))
    while True:
        time.sleep(pace.settled)
        later = _snapshot(root, ignored)
        if later == now:
            break
        now = later
    names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    return [os.path.relpath(name, root) for name in names] or ["a file"]


def _snapshot(root: Path, ignored: Collection[str]) -> Snapshot:
    return {entry.path: facts for entry in _files(root) if entry.path not in ignored for facts in _facts(entry)}


def _facts(entry: os.DirEntry[str]) -> Iterator[tuple[int, int, int]]:
    """Nothing for a file that is gone meanwhile."""
    try:
        stat = entry.stat()
    except OSError:
        return
    yield stat.st_mtime_ns, stat.st_size, stat.st_ino


def _files(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            yield entry
        elif not denied_folder(Path(entry.path)):
            yield from _files(entry.path)
