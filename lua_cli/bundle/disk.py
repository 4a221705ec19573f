"""Small acts on the disk that unpacking and the output folder share."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """The entries of a folder survive a crash of the machine. A system that cannot sync folders does without."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def discard(path: Path) -> None:
    """Removes a folder, a file or a link, as far as it can be: what stays is in nobody's way. (`shutil` brings the
    compression modules, a tenth of what opening an artifact costs.)
    """
    if path.is_dir() and not path.is_symlink():
        for current, folders, names in os.walk(path, topdown=False):
            for name in (*folders, *names):
                _remove(os.path.join(current, name))  # noqa: PTH118
    _remove(str(path))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
            os.rmdir(path)  # noqa: PTH106
        else:
            os.unlink(path)  # noqa: PTH108
