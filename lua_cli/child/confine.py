"""What the tool's process gives up before user code runs. In: the request's limits and folders. Changes this process
only.

Descriptors: stdin is /dev/null, 1 and 2 are the log pipe already, the result pipe moves out of the way and is closed
in programs that the tool starts. Path: the artifact first, then the interpreter's packages; the project's own folders
are taken off, whatever put them there. Limits: memory, CPU time, file size, open files.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from typing import Any

_HIGH = 200  # where a tool that closes "all" descriptors is least likely to reach


def safe_descriptor(descriptor: int) -> int:
    """`descriptor` at a high number, closed in programs that the tool starts."""
    import fcntl

    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)  # the user's own limit may be a low one
    place = _HIGH if allowed == resource.RLIM_INFINITY else min(_HIGH, allowed // 2)
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, place)
    os.close(descriptor)
    return high


def detach_stdin() -> None:
    """stdin reads as empty from here on."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def plain_streams() -> None:
    """No text that a tool prints can fail: what is no character is written as its escape."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # -u made them unbuffered


def limit(limits: dict[str, int]) -> None:
    """Set the limits; a system that does not know one goes without it (docs/running.md says which)."""
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (memory, limits["memory"]),
        (resource.RLIMIT_CPU, limits["cpu"]),
        (resource.RLIMIT_FSIZE, limits["file_size"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
    ):
        _, hard = resource.getrlimit(kind)
        soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (soft, soft if kind != resource.RLIMIT_CPU else hard))
        except (ValueError, OSError):
            continue
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it; the parent names the limit when it ends the tool


def more_time(seconds: int) -> None:
    """A process that makes many calls: `seconds` of CPU time from here on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def hide(folders: Sequence[str]) -> None:
    """Nothing is imported from the project's own folders, whatever put them on the path (an editable install, a .pth
    file).
    """
    hidden = [os.path.realpath(folder) for folder in folders]
    sys.argv = ["lua"]
    sys.path[:] = [entry for entry in sys.path if not _within(entry, hidden)]
    sys.meta_path[:] = [_screened(finder, hidden) for finder in sys.meta_path]


def import_from(artifact: str) -> None:
    """Modules come from the artifact first."""
    sys.path.insert(0, artifact)


def _within(entry: str, folders: Sequence[str]) -> bool:
    """`entry` lies in one of the folders, and is no part of the interpreter (a project often holds its own .venv)."""
    real = os.path.realpath(entry)
    mine = [os.path.realpath(prefix) for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix}]
    if any(_below(real, prefix) for prefix in mine):
        return False
    return any(_below(real, folder) for folder in folders)


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _screened(finder: Any, folders: Sequence[str]) -> Any:
    """Editable installs come as import hooks too: one that leads into the project's folders finds nothing."""
    name = getattr(finder, "__module__", "") or ""
    if finder is PathFinder or name.startswith(("_frozen_importlib", "importlib.")) or name == "__main__":
        return finder
    return _Screen(finder, folders)


class _Screen:
    def __init__(self, finder: Any, folders: Sequence[str]) -> None:
        self._finder, self._folders = finder, folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        found = self._finder.find_spec(name, path, target)
        places = [found.origin or "", *(found.submodule_search_locations or ())] if found is not None else []
        return None if any(place and _within(place, self._folders) for place in places) else found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)
