"""What `lua compile` said last, and whether it would say the same again: by stat alone, with no import worth naming.

In: the working folder and the environment. Out: the text to print and what the exit code depends on, or None, which
means "ask again". Must not judge, read sources or import anything beyond `os` and `sys`: this is what an unchanged
project waits for. Whatever is odd about the file — missing, damaged, of another version, a time so young that a
second change could carry it — means None; `keeping.py` writes the file after the long way has looked at contents.
"""

from __future__ import annotations

import os
import sys

from lua_cli._version import __version__

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone would double the time
if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = "lua-answer 1"
PLACE = (".lua", "cache", "answer.txt")
_ABSENT = "-"


class Answer:
    """`text` is what went to stdout; `findings`: there were warnings; `stale`: among them a stale lock."""

    __slots__ = ("findings", "stale", "text")

    def __init__(self, text: str, findings: bool, stale: bool) -> None:
        self.text, self.findings, self.stale = text, findings, stale


def recall(folder: str, *, colour: bool) -> Answer | None:
    """The answer for the project that `folder` belongs to."""
    root = _root_above(folder)
    if root is None:
        return None
    try:
        with open(os.path.join(root, *PLACE), encoding="utf-8", newline="") as file:  # noqa: PTH118, PTH123
            return _read(file.read(), root, colour=colour)
    except (OSError, ValueError, IndexError):
        return None


def _read(content: str, root: str, *, colour: bool) -> Answer | None:
    head, _, rest = content.partition("\n")
    if head != f"{FORMAT} {checksum(rest)}":
        return None
    stated, flags, count, rest = rest.split("\n", 3)
    if stated != surroundings(root) or flags[2] != str(int(colour)):
        return None
    lines = rest.split("\n", int(count))
    text = lines.pop()
    if len(lines) != int(count) or not all(map(_holds, lines)):
        return None
    return Answer(text, flags[0] == "1", flags[1] == "1")


def _holds(line: str) -> bool:
    kind, _, rest = line.partition(" ")
    if kind == "link":
        target, _, path = rest.partition(" ")
        return os.readlink(path) == target  # noqa: PTH115  # a Path object for each would double the time
    if kind == "variable":
        was, _, name = rest.partition(" ")
        return was == str(int(name in os.environ))
    stamp, _, path = rest.partition(" ")
    return stamp_of(path, whole=kind == "file") == stamp


def stamp_of(path: str, *, whole: bool) -> str:
    """Times, size and number of a file (`whole`), the times alone of a folder; "-" without one."""
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return _ABSENT
    if whole:
        return f"{stat.st_mtime_ns},{stat.st_ctime_ns},{stat.st_size},{stat.st_ino}"
    return f"{stat.st_mtime_ns},{stat.st_ctime_ns},{stat.st_ino}"


def surroundings(root: str) -> str:
    """What beside files decides: this program, the Python that runs it, what the environment says of others."""
    environ = os.environ
    known = (__version__, program(), sys.version, sys.executable, sys.prefix)
    return ascii((root, *known, environ.get("VIRTUAL_ENV"), environ.get("PYTHONPATH", "")))


def program() -> int:
    """The newest modification time among lua-cli's own files: an upgrade, or a developer's edit, makes every answer
    old."""
    return max(_times(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # noqa: PTH100, PTH120


def _times(folder: str) -> Iterator[int]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(".py"):
                yield entry.stat().st_mtime_ns
            elif "." not in name and name[0] != "_" and entry.is_dir():
                yield entry.stat().st_mtime_ns
                yield from _times(entry.path)


def checksum(text: str) -> str:
    """Tells a damaged file; `zlib` is part of every Python that runs this and costs nothing to load."""
    import zlib

    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _root_above(folder: str) -> str | None:
    """The nearest folder upward with a pyproject.toml, when it has an answer: without one, it may be no project."""
    while not os.path.isfile(os.path.join(folder, "pyproject.toml")):  # noqa: PTH113, PTH118
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return None
        folder = above
    return folder
