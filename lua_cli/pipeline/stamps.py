"""What a project is recognised by, written down: `at_once.py` reads it. In: lines of stamps, paths, bytes. Out: files
under `.lua/cache/`, each replaced as a whole. Paths are texts here: `pathlib` costs more to load than all this takes.
"""

from __future__ import annotations

import os
from itertools import chain

from lua_cli.bundle.disk import discard, read_whole
from lua_cli.pipeline import at_once

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lua_cli.packed import Packed

RECORD = "build.json"  # what decided the last build (unchanged.py), in the cache's folder
RACY_NS = 2_000_000_000  # the coarsest clock of a file system in use (FAT: 2 s)
_NOTHING: Mapping[str, str] = {}
_MOST_READ = 50  # files that each later compile would read again
_BUILDS = os.sep + os.path.join(".lua", "builds") + os.sep


def assured(lines: Sequence[str], beside: str, racy: int, sure: Mapping[str, str] = _NOTHING) -> list[str] | None:
    """The lines, and for what is so young that a second change could carry the same time (less than `racy`
    nanoseconds old) one more that says what is in it. None where something cannot be written down, or too much is
    young. What this program writes once and never again is not young: its builds. `beside` is a folder on the same
    disk; `sure` says what was in files and folders when they were read.
    """
    if any("\n" in line for line in lines):
        return None
    now = now_on_disk(beside)
    young = [line for line in lines if is_young(line, now - racy)]
    if len(young) > _MOST_READ:
        return None
    try:
        return [*lines, *(_contents(line, sure) for line in young)]
    except OSError:
        return None


def is_young(line: str, since: int) -> bool:
    """Whether a line stamps something that changed at `since` or later."""
    kind, stamp, path = line.split(" ", 2)
    if kind not in ("file", "folder") or stamp == "-" or _BUILDS in path:
        return False
    modified, changed = stamp.split(",")[:2]
    return max(int(modified), int(changed)) >= since


def _contents(line: str, sure: Mapping[str, str]) -> str:
    kind, _, path = line.split(" ", 2)
    if kind == "folder":
        return f"names {sure.get(path) or at_once.names_in(path)} {path}"
    return f"content {sure.get(path) or at_once.content_of(path)} {path}"


def write_kept(root: str, name: str, *body: str | Packed) -> None:
    """Put an answer, or the stamps, in place."""
    path = at_once.place_of(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    head = f"{at_once.FORMAT} {at_once.checksum(_parts(body))}\n".encode()
    replace_cached(path, chain([head], _parts(body)))


def _parts(body: Iterable[str | Packed]) -> Iterator[bytes]:
    for part in body:
        if isinstance(part, str):
            yield part.encode()
        else:
            yield from part.parts()


def forget_kept(root: str) -> None:
    """The answers of earlier states: nobody asks for them again."""
    folder = os.path.join(root, *at_once.FOLDER)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(".txt"):
            _unlink(os.path.join(folder, name))


def listing(folder: str | os.PathLike[str]) -> list[str]:
    """The names in a folder that decide what an import finds there; none without the folder."""
    try:
        return deciding(os.listdir(folder))
    except OSError:
        return []


def deciding(names: Iterable[str]) -> list[str]:
    """Python files, native modules, YAML files, and what may be a package's folder."""
    endings = (".py", ".so", ".pyd", ".yaml", ".yml")
    return sorted(n for n in names if n.endswith(endings) or ("." not in n and n != "__pycache__"))


def now_on_disk(folder: str | os.PathLike[str]) -> int:
    """The time as the file system tells it, which is the clock that files are compared with."""
    os.makedirs(folder, exist_ok=True)
    path, handle = _new_file(folder)
    try:
        _unlink(path)
        return os.fstat(handle).st_mtime_ns
    finally:
        os.close(handle)


def read_cached(path: str | os.PathLike[str]) -> bytes:
    """What is in a cache's file. Raises OSError for what is none: a pipe would be waited for."""
    if not os.path.isfile(path):
        raise OSError(path)
    return read_whole(os.fspath(path))


def replace_cached(path: str | os.PathLike[str], content: bytes | Iterable[bytes | memoryview]) -> None:
    """Put a cache's file in place as a whole; `content` may come in parts. Not synced, unlike a file of the user: what
    a power cut takes is made again."""
    new, handle = _new_file(os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
        if os.path.isdir(path) and not os.path.islink(path):
            discard(os.fspath(path))
        os.replace(new, path)
    except BaseException:
        _unlink(new)
        raise


def _new_file(folder: str | os.PathLike[str]) -> tuple[str, int]:
    """An empty file of a name of its own, opened. (`tempfile` brings the compression modules: half a bare Python.)"""
    path = os.path.join(folder, f"new-{os.urandom(8).hex()}")
    return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
