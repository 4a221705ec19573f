"""What a command said of a project, and whether it would say the same again: by stat alone, with no import worth
naming. (What is too young for that by its content.)

In: the working folder and the environment. Out: what was said, or None, which means "ask again". Must not judge, read
sources or import anything beyond `os` and `sys`: this is what an unchanged project waits for. Whatever is odd about
the files — missing, damaged, of another version, a time so young that a second change could carry it — means None;
`keeping.py` writes them after the long way has looked at contents.

    stamps.txt    what an unchanged project is recognised by, and a token
    NAME.txt      one answer, for the project as it was when the stamps had that token
"""

from __future__ import annotations

import os
import sys

from lua_cli._version import __version__

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone would double the time
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORMAT = "lua-answer 4"
FOLDER = (".lua", "cache", "answers")
STAMPS = "stamps"
_ABSENT = "-"


class Known:
    """A project as it was. `findings`: its last compile had warnings; `stale`: among them a stale lock; `lines` are its
    stamps.
    """

    __slots__ = ("_token", "findings", "lines", "root", "stale")

    def __init__(self, root: str, token: str, flags: str, lines: list[str]) -> None:
        self.root, self._token, self.lines = root, token, lines
        self.findings, self.stale = flags[0] == "1", flags[1] == "1"

    def differing(self) -> list[str] | None:
        """The stamps that do not hold any more; None where that cannot be told."""
        try:
            return [line for line in self.lines if not holds(line)]
        except (OSError, ValueError):
            return None

    @property
    def token(self) -> str:
        """Which state of the project this is: no other state has the same."""
        return self._token

    def answer(self, name: str) -> str | None:
        """What was kept under this name for this state of the project."""
        try:
            token, _, text = _content(self.root, name).partition("\n")
        except (OSError, ValueError):
            return None
        return text if token == self._token else None


def known(folder: str, project: str | None = None) -> Known | None:
    """The project that `folder` belongs to, or the one that is named from there, when nothing of it has changed."""
    found = before(folder, project)
    return found if found is not None and found.differing() == [] else None


def before(folder: str, project: str | None = None) -> Known | None:
    """The same project as it was when it was last known, whatever has changed of it since; None when the program, the
    Python or the environment have.
    """
    root = root_above(folder) if project is None else _named(folder, project)
    if root is None:
        return None
    try:
        stated, flags, token, *lines = _content(root, STAMPS).split("\n")
        return Known(root, token, flags, lines) if stated == surroundings(root) else None
    except (OSError, ValueError, IndexError):
        return None


def _content(root: str, name: str) -> str:
    """What a file of answers holds. Raises OSError, ValueError for one that is not whole."""
    if not os.path.isfile(place_of(root, name)):  # noqa: PTH113  # a pipe would be waited for
        raise OSError(name)
    with open(place_of(root, name), encoding="utf-8", newline="") as file:  # noqa: PTH123
        head, _, rest = file.read().partition("\n")
    if head != f"{FORMAT} {checksum([rest.encode('utf-8', 'surrogatepass')])}":
        raise ValueError(name)
    return rest


def place_of(root: str, name: str) -> str:
    """The file of an answer."""
    return os.path.join(root, *FOLDER, f"{name}.txt")  # noqa: PTH118


def holds(line: str) -> bool:
    """Whether a thing is as a line of stamps says. Raises OSError, ValueError for a line that is none."""
    kind, _, rest = line.partition(" ")
    if kind == "link":
        target, _, path = rest.partition(" ")
        return os.readlink(path) == target  # noqa: PTH115  # a Path object for each would double the time
    if kind == "variable":
        was, _, name = rest.partition(" ")
        return was == mark_of(name)
    stamp, _, path = rest.partition(" ")
    if kind == "content":
        return content_of(path) == stamp
    if kind == "names":
        return names_in(path) == stamp
    return stamp_of(path, whole=kind == "file") == stamp


def mark_of(name: str) -> str:
    """What a variable of the environment holds, as far as it can be written down: what the tools' modules do with it
    when they are imported, nobody knows."""
    value = os.environ.get(name)
    if value is None:
        return _ABSENT
    from lua_cli.digests import sha256_hex

    return sha256_hex(f"{name}={value}".encode("utf-8", "surrogateescape"))[:16]


def stamp_of(path: str, *, whole: bool) -> str:
    """Times, size and number of a file (`whole`), the times alone of a folder; "-" without one."""
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return _ABSENT
    if whole:
        return f"{stat.st_mtime_ns},{stat.st_ctime_ns},{stat.st_size},{stat.st_ino}"
    return f"{stat.st_mtime_ns},{stat.st_ctime_ns},{stat.st_ino}"


def content_of(path: str) -> str:
    """What is in a file: for one that is so young that its times could be those of two contents. Raises OSError."""
    from lua_cli.digests import sha256_hex

    if not os.path.isfile(path):  # noqa: PTH113  # a pipe would be waited for
        raise OSError(path)
    with open(path, "rb") as file:  # noqa: PTH123
        return sha256_hex(file.read())


def names_in(path: str) -> str:
    """The same of a folder: the names in it."""
    from lua_cli.digests import sha256_hex

    names = sorted(name for name in os.listdir(path) if name != "__pycache__")  # noqa: PTH208
    return sha256_hex("\0".join(names).encode("utf-8", "surrogateescape"))


def surroundings(root: str) -> str:
    """What beside files decides: this program, the Python that runs it, what the environment says of others."""
    environ = os.environ
    running = (__version__, program(), sys.version, sys.executable, sys.prefix)
    return ascii((root, *running, environ.get("VIRTUAL_ENV"), environ.get("PYTHONPATH", "")))


_program: list[int] = []


def program() -> int:
    """The modification times of lua-cli's own files, summed: an upgrade, or a developer's edit, makes every answer old.
    Not those of folders, which change when Python first writes bytecode into one. Looked up once: what is loaded later
    is of the same program."""
    if not _program:
        _program.append(sum(_times(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))  # noqa: PTH100, PTH120
    return _program[0]


def _times(folder: str) -> Iterator[int]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(".py"):
                yield entry.stat().st_mtime_ns
            elif "." not in name and name[0] != "_" and entry.is_dir():
                yield from _times(entry.path)


def checksum(parts: Iterable[bytes]) -> str:
    """Tells a damaged file; `zlib` is part of every Python that runs this and costs nothing to load."""
    import zlib

    found = 0
    for part in parts:
        found = zlib.crc32(part, found)
    return f"{found:08x}"


def root_above(folder: str) -> str | None:
    """The nearest folder upward with a pyproject.toml, when it has an answer: without one, it may be no project."""
    while not os.path.isfile(os.path.join(folder, "pyproject.toml")):  # noqa: PTH113, PTH118
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return None
        folder = above
    return folder


def _named(folder: str, project: str) -> str | None:
    """The folder of `--project`, spelled as the long way spells it; None where that is not a matter of words."""
    if ".." in project.split("/") or os.sep != "/" or not project:
        return None
    return os.path.normpath(os.path.join(folder, project))  # noqa: PTH118
