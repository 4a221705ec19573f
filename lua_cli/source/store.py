"""Facts of sources, kept by what the sources hold, for the next compile. In: a file, who wrote it. Out: facts by the
digest of the bytes they were read from.

Never trusted: a file that is damaged, of another program or another Python is no file, and facts are never looked up
by anything but the content. Only the classes of facts are ever made of what lies there: nothing that it names is
imported or called. Keeps what one compile asked for, no more.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from lua_cli.packed import Packed
from lua_cli.source import ir
from lua_cli.source.function_bodies import Body, bodies_of
from lua_cli.source.lowering import lower
from lua_cli.source.parsing import parse
from lua_cli.source.reads import RawImport, RawReads, read

_HEAD = b"lua-facts 3\n"
_CHECKSUM = hashlib.sha256().digest_size
_SIZE = 4  # bytes of a number that says how long something is
_USELESS = (pickle.UnpicklingError, ValueError, TypeError, EOFError, AttributeError, IndexError, KeyError)
_MADE: dict[tuple[str, str], Any] = {
    **{
        (ir.__name__, name): value
        for name, value in vars(ir).items()
        if getattr(value, "__module__", "") == ir.__name__
    },
    (RawImport.__module__, "RawImport"): RawImport,
    (Body.__module__, "Body"): Body,
    ("builtins", "complex"): complex,
    ("builtins", "Ellipsis"): Ellipsis,
}
Entry = bytes | memoryview  # what is kept of one source: its facts, and what it asks for where that was wanted

_Held = Packed | memoryview | Path | Callable[[], Entry | None]


class Told(NamedTuple):
    """What a source asks for, and where its bodies are."""

    reads: RawReads
    bodies: tuple[Body, ...]


def entry_of(text: str, *, with_reads: bool) -> tuple[ir.ModuleFacts, bytes]:
    """Read a source: its facts, and how it is kept (a fifth of what it weighs as facts). Raises ParseError."""
    tree = parse(text)
    facts = lower(tree, text)
    packed = pickle.dumps(facts, protocol=5)
    told = told_by(tree, text)[1] if with_reads else b""
    return facts, b"".join((len(packed).to_bytes(_SIZE, "little"), packed, told))


def told_by(tree: ast.Module, text: str) -> tuple[Told, bytes]:
    """What a tree tells, and how that is kept."""
    told = Told(read(tree, text), bodies_of(tree, text))
    one = told.reads
    return told, pickle.dumps(((one.imports, one.env, one.computed, one.local, one.data), told.bodies), protocol=5)


def facts_in(entry: Entry) -> ir.ModuleFacts | None:
    """The facts of a source; None where they are of no use."""
    try:
        facts = _Reader(io.BytesIO(entry[_SIZE:])).load()
    except _USELESS:
        return None
    return facts if isinstance(facts, ir.ModuleFacts) else None


def told_in(entry: Entry) -> Entry:
    """What a source asks for, as `told_of` reads it: few ask, and late. Empty where it was not wanted."""
    return entry[_SIZE + int.from_bytes(entry[:_SIZE], "little") :]


def told_of(told: Entry) -> Told | None:
    """What was asked for; None where it was not, or is of no use."""
    try:
        (imports, env, computed, local, data), bodies = _Reader(io.BytesIO(told)).load()
    except _USELESS:
        return None
    reads = RawReads()
    reads.imports, reads.env, reads.computed, reads.local, reads.data = imports, env, computed, local, data
    return Told(reads, bodies)


class FactsStore:
    """The facts of one project's sources. In a large project they are much: what somebody else holds is not held here.

    path      the file; None where nothing is kept between compiles
    identity  the program, and all else that decides how a source is read
    writes    whether what is used will be written, and has to be remembered for it
    """

    def __init__(self, path: Path | None, identity: str, *, writes: bool = True) -> None:
        self._path, self._identity, self._writes = path, identity, writes
        self._lender: Callable[[Path, str], Entry | None] | None = None
        self._there: dict[str, memoryview] | None = None
        self._agreed_there: frozenset[str] = frozenset()
        self._used: dict[str, _Held] = {}
        self._agreed: set[str] = set()
        self._new = False

    def get(self, digest: str) -> Entry | None:
        """What is kept of the source of that digest."""
        used = self._used.get(digest)
        if used is not None:
            return self._given(digest, used)
        found = self._entries().get(digest)
        if found is not None and self._writes:
            self._used[digest] = found
        return found

    def put(self, digest: str, entry: bytes) -> None:
        self._used[digest] = Packed(entry)
        self._new = True

    def borrow_from(self, lender: Callable[[Path, str], Entry | None]) -> None:
        """Who is asked for entries that were lent: by the path of the source, and its digest."""
        self._lender = lender

    def lend(self, digest: str, by: Path | Callable[[], Entry | None]) -> None:
        """Take note of an entry that somebody else holds, and gives again and again."""
        self._used[digest] = by
        self._new = True

    def _given(self, digest: str, held: _Held) -> Entry | None:
        if isinstance(held, Packed):
            return held.whole()
        if isinstance(held, memoryview):
            return held
        if isinstance(held, Path):
            return self._lender(held, digest) if self._lender is not None else None
        return held()

    @property
    def empty(self) -> bool:
        """Whether nothing was kept, or nothing of use."""
        return not self._entries()

    def agreed(self, digest: str, statements: str) -> bool:
        """Whether both readers gave the same for these statements of the source of that digest."""
        self._entries()
        key = f"{digest} {statements}"
        if key not in self._agreed_there:
            return False
        self._agreed.add(key)
        return True

    def agree(self, digest: str, statements: str) -> None:
        self._agreed.add(f"{digest} {statements}")
        self._new = True

    def content(self) -> Iterator[Entry] | None:
        """The file as it is to be now, in parts: it is large; None when it may stay as it is."""
        if not self._new and self._there is not None and len(self._used) == len(self._there):
            return None
        return self._parts()

    def _parts(self) -> Iterator[Entry]:
        """The head, the entries, an index of them, how long that is, and the checksum of it all: each entry is asked
        for once."""
        checksum, sizes = hashlib.sha256(), dict[str, int]()

        def parts() -> Iterator[Entry]:
            yield _HEAD
            for digest, held in self._used.items():
                entry = self._given(digest, held)
                if entry is not None:
                    sizes[digest] = len(entry)
                    yield entry
            index = json.dumps([self._identity, sizes, sorted(self._agreed)]).encode()
            yield index
            yield len(index).to_bytes(_SIZE, "little")

        for part in parts():
            checksum.update(part)
            yield part
        yield checksum.digest()

    def _entries(self) -> dict[str, memoryview]:
        if self._there is None:
            self._there = {}
            with suppress(OSError, ValueError, TypeError, AttributeError):  # nothing is kept, or nothing of use
                # A pipe would be waited for.
                content = self._path.read_bytes() if self._path and self._path.is_file() else b""
                self._there, self._agreed_there = self._loaded(content)
        return self._there

    def _loaded(self, content: bytes) -> tuple[dict[str, memoryview], frozenset[str]]:
        """Raises ValueError for a file that is not whole, or somebody else's."""
        whole = memoryview(content)
        told, checksum = whole[:-_CHECKSUM], whole[-_CHECKSUM:]
        if told[: len(_HEAD)] != _HEAD or hashlib.sha256(told).digest() != checksum:
            raise ValueError("not whole")
        length = int.from_bytes(told[-_SIZE:], "little")
        entries, index = told[len(_HEAD) : -length - _SIZE], told[-length - _SIZE : -_SIZE]
        identity, sizes, agreed = json.loads(bytes(index))
        if identity != self._identity:
            raise ValueError("of another program")
        at, found = 0, {}
        for digest, size in sizes.items():
            found[digest] = entries[at : at + size]
            at += size
        return found, frozenset(agreed)


class _Reader(pickle.Unpickler):
    """Makes facts, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _MADE[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is no class of facts") from None
