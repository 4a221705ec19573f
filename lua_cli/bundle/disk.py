"""Small acts on the disk that unpacking, the output folder and the caches share."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from pathlib import Path


def sync_folder(folder: Path | str) -> None:
    """The entries of a folder survive a crash of the machine. A system that cannot sync folders does without."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_whole(path: Path | str) -> bytes:
    """What is in a file. Raises OSError."""
    with open(path, "rb") as file:
        return file.read()


def discard(path: Path | str) -> None:
    """Removes a folder, a file or a link, as far as it can be: what stays is in nobody's way. (`shutil` brings the
    compression modules, a tenth of what opening an artifact costs.)
    """
    if os.path.isdir(path) and not os.path.islink(path):
        for current, folders, names in os.walk(path, topdown=False):
            for name in (*folders, *names):
                _remove(os.path.join(current, name))
    _remove(str(path))


def _remove(path: str) -> None:
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        pass  # what stays is in nobody's way
