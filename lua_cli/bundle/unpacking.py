"""Puts the files of an artifact into a cache folder that a child process can import from.

In: an opened (checked) artifact and the cache. Out: the folder, complete and with exactly these files. Several
processes may do it at once; one that is killed leaves at most a temporary folder, which a later one removes.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from lua_cli.bundle.built import OpenedArtifact
from lua_cli.bundle.disk import discard, sync_folder
from lua_cli.bundle.exclusive import locked
from lua_cli.errors import LuaError

_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR}
_TEMPORARY = ".tmp-"
_LEFTOVER_SECONDS = 3600
_OWN_FOLDERS = {"__pycache__"}  # Python's, beside a module: it is checked against the module's source when it is used


def unpack(opened: OpenedArtifact, cache: Path) -> Path:
    """The folder under `cache` with the files of `opened`. It goes by the digest, so that a second call finds it.

    A folder that is there already is compared, byte by byte, and replaced when something is missing, changed or added.
    Raises LuaError when the cache cannot be written.
    """
    folder = cache / opened.digest.removeprefix("sha256:")
    try:
        if is_whole(folder, opened.files):
            return folder
        cache.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(cache)
        temporary = _temporary_name(cache)
        try:
            _write(opened.files, temporary)
            _move(temporary, folder, opened.files)
        finally:
            discard(temporary)
    except OSError as error:
        hint = "free some space, then try again"
        raise LuaError(f"cannot unpack into {cache}: {error.strerror or error}", hint=hint) from error
    return folder


def is_whole(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Whether the folder holds these files, unchanged, and nothing else (a planted module would be imported)."""
    try:
        return _sizes_in(folder) == {name: len(content) for name, content in files.items()} and all(
            (folder / name).read_bytes() == content for name, content in files.items()
        )
    except (FileNotFoundError, NotADirectoryError):  # there is none, or it is being moved away
        return False


def _sizes_in(folder: Path) -> dict[str, int]:
    """Every file below a folder, with its size; -1 for what is no file."""
    out: dict[str, int] = {}
    stack = [folder]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                path = Path(entry.path)
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _OWN_FOLDERS:
                        stack.append(path)
                    continue
                regular = entry.is_file(follow_symlinks=False)
                size = entry.stat(follow_symlinks=False).st_size if regular else -1
                out[path.relative_to(folder).as_posix()] = size
    return out


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    folders = {folder}
    folder.mkdir()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        folders.update(folder / parent for parent in Path(name).parents)
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    for each in folders:
        sync_folder(each)
    if not is_whole(folder, files):
        raise OSError(0, "what was written reads differently")


def _move(temporary: Path, folder: Path, files: Mapping[str, bytes]) -> None:
    """`temporary` becomes `folder`, unless another process was faster. One that is damaged is exchanged by one process
    at a time, so that nobody takes away what another one has just mended."""
    if _renamed(temporary, folder):
        return
    with locked(folder.parent / ".lock"):
        for _attempt in range(5):  # a process that finds nothing there puts its own in without the lock
            if is_whole(folder, files):
                return
            damaged = _temporary_name(folder.parent)
            with suppress(FileNotFoundError):  # who moved it away was killed before the new one was there
                folder.rename(damaged)
            discard(damaged)
            if _renamed(temporary, folder):
                return
    raise OSError(0, f"{folder} is damaged and cannot be replaced")


def _renamed(temporary: Path, folder: Path) -> bool:
    """Whether the name was free."""
    try:
        temporary.rename(folder)
    except OSError as error:
        if error.errno in _TAKEN or os.path.lexists(folder):
            return False
        raise
    sync_folder(folder.parent)
    return True


def _remove_leftovers(cache: Path) -> None:
    """Temporary folders of processes that were killed: those that nobody has written into for an hour."""
    now = time.time()
    for entry in os.scandir(cache):
        if not entry.name.startswith(_TEMPORARY):
            continue
        with suppress(FileNotFoundError):  # whose process has just moved it into its place
            if now - entry.stat(follow_symlinks=False).st_mtime > _LEFTOVER_SECONDS:
                discard(Path(entry.path))


def _temporary_name(cache: Path) -> Path:
    return cache / f"{_TEMPORARY}{os.getpid()}-{os.urandom(8).hex()}"
