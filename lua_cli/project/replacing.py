"""Replaces a file of the user as a whole: a reader sees the old one or the new one, also after a power cut."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes, *, private: bool = False) -> None:
    """Put `content` in the place of `path`. The mode stays what it was; a new file gets the usual one, a `private`
    one is the user's alone from its first moment.

    Raises OSError; the file is then as it was, and nothing is left beside it.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # 0600
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not private:
            temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
