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
    """Removes a folder, a file or a link, as far as it can be: what stays is in nobody's way."""
    if path.is_dir() and not path.is_symlink():
        import shutil  # with its compression modules, a tenth of what opening an artifact costs

        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
