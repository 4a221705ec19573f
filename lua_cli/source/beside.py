"""Reads sources in a process beside this one, where there is a second core. In: files that are probably wanted. Out:
entries of the facts store, by file; and what libcst reads differently of statements.

The process is a fork that imports libcst, reads one file after another that nobody has begun yet, and then answers
questions. Who began a file stands in memory that both share; what was asked and what was read lie in files without
names, so that nobody holds all of it at once. Nothing depends on it: what it does not give is read by whoever asked. It
is begun as early as can be, so this module loads little.
"""

from __future__ import annotations

import mmap
import os
import pickle
import select
import struct
import sys
import time
from contextlib import suppress
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from lua_cli.source import ir
    from lua_cli.source.readings import Statements

    Readings = dict[int, ir.Stmt]

_MOST = 50_000  # files
_FREE, _MINE, _BEGUN, _DONE = range(4)
_PLACE = struct.Struct("=QQ")
_STRIDE = 1 + _PLACE.size
_ROOM = 1 << 20  # bytes in the pipe: the names of some ten thousand files
_PAUSE = 0.0002  # seconds between two looks at a file that the other process reads: one takes a few milliseconds
_PATIENCE = 5.0
_RECURSION = 12_000
_MOST_DESCRIPTORS = 1 << 20
_KILL = 9  # the import of `signal` and its enumerations takes longer than all else here


def can_begin() -> bool:
    """Whether there is a core for it, and a system that can."""
    return hasattr(os, "memfd_create") and hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1


class Beside:
    """The process. `end` it."""

    def __init__(self) -> None:
        import fcntl  # not there on every system that imports this

        self._numbers: dict[str, int] = {}
        self._marks = mmap.mmap(-1, _MOST * _STRIDE)
        self._content, self._questions = os.memfd_create("lua-facts"), os.memfd_create("lua-questions")
        self._end = 0  # of the questions, and of what is held beside them
        asked, self._asks = os.pipe()
        with suppress(OSError):  # more than is allowed: then whoever asks may wait until libcst is loaded
            fcntl.fcntl(self._asks, fcntl.F_SETPIPE_SZ, _ROOM)
        self._answers, answering = os.pipe()
        self._pid = _fork()
        if not self._pid:
            try:
                os.close(self._asks)
                os.close(self._answers)
                _Reader(self._marks, self._content, self._questions, asked, answering).serve()
            finally:
                os._exit(0)
        os.close(asked)
        os.close(answering)

    def read(self, files: Sequence[str], *, with_reads: bool) -> None:
        """Have files read, the last one first; with what they ask for or without."""
        if len(files) <= _MOST:
            self._numbers = {path: number for number, path in enumerate(files)}
            self._send("files", (files, with_reads))

    def take(self, path: Path, digest: str) -> bytes | None:
        """The entry of a file whose bytes have that digest; None where whoever asks has to read it."""
        number = self._numbers.get(str(path))
        if number is None or not self._pid:
            return None
        at = number * _STRIDE
        if self._marks[at] == _FREE:
            self._marks[at] = _MINE
        if self._marks[at] == _MINE:
            return None
        if self._marks[at] == _BEGUN and not self._waited(at):
            return None
        content = _stored(self._content, self._marks[at + 1 : at + _STRIDE])
        return content[len(digest) :] if content.startswith(digest.encode("ascii")) else None

    def ask(self, statements: Iterable[Statements]) -> Callable[[], Iterator[Readings]]:
        """Have libcst read statements, one module after another. Gives what waits for the readings that differ, in the
        same order, and reads by itself where none come.
        """
        from lua_cli.source.readings import differing

        questions = [self._noted(one) for one in statements]
        places = [question for question in questions if isinstance(question, bytes)]
        asked = len(places) == len(questions) > 0 and self._send("statements", b"".join(places))

        def wait() -> Iterator[Readings]:
            answers = iter(_places(self._answered() if asked else b""))
            for question in questions:
                answer = next(answers, b"")
                if answer:
                    yield _loaded(self._content, answer)
                else:
                    yield differing(_loaded(self._questions, question) if isinstance(question, bytes) else question)

        return wait

    def hold(self, entry: bytes) -> Callable[[], bytes | None] | None:
        """Hold something that is asked for late or never, outside of this process's memory; gives what gives it again,
        as long as this lasts. None where there is no room for it.
        """
        with suppress(OSError):
            place, self._end = _put(self._questions, self._end, entry)
            return partial(self._held, place)
        return None

    def _held(self, place: bytes) -> bytes | None:
        return _stored(self._questions, place) if self._pid else None

    def _noted(self, statements: Statements) -> bytes | Statements:
        """The place of a question; the question itself where there is no room for it."""
        with suppress(OSError):
            place, self._end = _put(self._questions, self._end, pickle.dumps(statements, protocol=5))
            return place
        return statements

    def _answered(self) -> bytes:
        """The places of the answers; none where the process is gone."""
        with suppress(EOFError, OSError):
            return _stored(self._content, _exactly(self._answers, _PLACE.size))
        return b""

    def end(self) -> None:
        """End the process. Again and again."""
        if self._pid:
            os.kill(self._pid, _KILL)
            os.waitpid(self._pid, 0)
            self._pid = 0
            for descriptor in (self._asks, self._answers, self._content, self._questions):
                os.close(descriptor)

    def _send(self, kind: str, what: object) -> bool:
        """Tell the process something; whether that could be done."""
        content = pickle.dumps((kind, what), protocol=5)
        data = memoryview(len(content).to_bytes(8, "little") + content)
        with suppress(OSError):  # it is gone
            while data and self._pid:
                data = data[os.write(self._asks, data) :]
        return not data

    def _waited(self, at: int) -> bool:
        """Whether a file that the other process has begun was read."""
        until = time.monotonic() + _PATIENCE
        while self._marks[at] == _BEGUN and time.monotonic() < until:
            time.sleep(_PAUSE)
        return self._marks[at] == _DONE


class _Reader:
    """The fork's side."""

    def __init__(self, marks: mmap.mmap, content: int, questions: int, asked: int, answering: int) -> None:
        self._marks, self._content, self._questions = marks, content, questions
        self._asked, self._answering = asked, answering
        self._offset = 0
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):  # neither input nor output is its business
            os.dup2(nowhere, descriptor)
        # Who waits for the end of a pipe must not wait for this process.
        _close_all_but(asked, answering, content, questions)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))

    def serve(self) -> None:
        """Do what is asked until nobody asks."""
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever forked it ends it
        import libcst  # noqa: F401  # a question needs it, and it takes long

        with suppress(EOFError, OSError):
            while True:
                content = _exactly(self._asked, int.from_bytes(_exactly(self._asked, 8), "little"))
                kind, what = pickle.loads(content)  # noqa: S301  # whoever forked it wrote it
                if kind == "files":
                    self._files(*what)
                else:
                    os.write(self._answering, self._put(b"".join(map(self._answer, _places(what)))))

    def _files(self, files: list[str], with_reads: bool) -> None:
        """Read files until something else is asked."""
        for number in reversed(range(len(files))):
            if select.select([self._asked], [], [], 0)[0]:
                return
            self._file(number, files[number], with_reads)

    def _file(self, number: int, path: str, with_reads: bool) -> None:
        at = number * _STRIDE
        if self._marks[at] != _FREE:
            return
        self._marks[at] = _BEGUN
        self._marks[at + 1 : at + _STRIDE] = self._put(_entry(path, with_reads))
        self._marks[at] = _DONE

    def _answer(self, question: bytes) -> bytes:
        """What libcst reads differently of the statements at a place; gives the place of it."""
        from lua_cli.source.readings import differing

        return self._put(pickle.dumps(differing(_loaded(self._questions, question)), protocol=5))

    def _put(self, content: bytes) -> bytes:
        place, self._offset = _put(self._content, self._offset, content)
        return place


def _put(descriptor: int, offset: int, content: bytes) -> tuple[bytes, int]:
    """Put something down; gives its place, and where the next has to be."""
    place, data = _PLACE.pack(offset, len(content)), memoryview(content)
    while data:
        written = os.pwrite(descriptor, data, offset)
        offset += written
        data = data[written:]
    return place, offset


def _stored(descriptor: int, place: bytes) -> bytes:
    offset, length = _PLACE.unpack(place)
    return os.pread(descriptor, length, offset)


def _loaded(descriptor: int, place: bytes) -> Any:
    return pickle.loads(_stored(descriptor, place))  # noqa: S301  # the other one of the two wrote it


def _places(together: bytes) -> list[bytes]:
    return [together[at : at + _PLACE.size] for at in range(0, len(together), _PLACE.size)]


def _close_all_but(*kept: int) -> None:
    below = 2
    for descriptor in (*sorted(kept), _MOST_DESCRIPTORS):
        os.closerange(below + 1, descriptor)
        below = descriptor


def _fork() -> int:
    if sys.version_info >= (3, 12):  # it warns of threads: the fork runs nothing of theirs
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return os.fork()
    return os.fork()


def _entry(path: str, with_reads: bool) -> bytes:
    """The digest of a file, and its entry in the store; nothing of one that cannot be read."""
    import hashlib
    from pathlib import Path

    from lua_cli.source.decoding import DecodeError, decode
    from lua_cli.source.parsing import ParseError
    from lua_cli.source.store import entry_of

    try:
        file = Path(path)
        if not file.is_file():
            return b""
        data = file.read_bytes()
        _, entry = entry_of(decode(data), with_reads=with_reads)
    except (OSError, DecodeError, ParseError, RecursionError):
        return b""
    return hashlib.sha256(data).hexdigest().encode("ascii") + entry


def _exactly(descriptor: int, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def probable_files(roots: Sequence[Path], without: Sequence[Path]) -> list[str]:
    """The Python files below the import roots, but for hidden folders, environments and what is in `without`."""
    found: dict[str, None] = {}  # texts: paths weigh and take ten times as much
    left_out = {str(folder) for folder in without}
    for root in roots:
        for current, folders, names in os.walk(root):
            if "pyvenv.cfg" in names or current in left_out:
                folders.clear()
                continue
            folders[:] = [name for name in folders if name[0] != "." and name not in ("__pycache__", "node_modules")]
            found |= dict.fromkeys(os.path.join(current, name) for name in names if name.endswith(".py"))  # noqa: PTH118
            if len(found) > _MOST:
                return []
    return list(found)
