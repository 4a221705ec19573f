"""The cache of unpacked artifacts. In: its folder, the digests in use. Out: nothing; folders that nobody needs are
gone.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection
from pathlib import Path

_KEPT_SECONDS = 24 * 3600  # another process may still run out of an older one


def forget_old(cache: Path, digests: Collection[str]) -> None:
    """Remove unpacked artifacts that are neither among `digests` nor younger than a day."""
    kept = {digest.removeprefix("sha256:") for digest in digests}
    try:
        folders = [path for path in cache.iterdir() if path.name not in kept and not path.name.startswith(".")]
    except OSError:
        return
    for folder in folders:
        try:
            old = time.time() - folder.stat().st_mtime > _KEPT_SECONDS
        except OSError:
            continue  # another process removed it
        if old:
            shutil.rmtree(folder, ignore_errors=True)
