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
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from lua_cli.packed import Packed
from lua_cli.source import ir
from lua_cli.source.function_bodies import Body, bodies_of
from lua_cli.source.lowering import lower
from lua_cli.source.parsing import parse
from lua_cli.source.reads import RawImport, RawReads, read

_HEAD = b"lua-facts 2"
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


class Kept(NamedTuple):
    """What is kept of one source. `told` is what it asks for and where its bodies are, as `told_of` reads it: few ask,
    and late. Empty where it was not asked for.
    """

    facts: ir.ModuleFacts
    told: bytes


class Told(NamedTuple):
    """What a source asks for, and where its bodies are."""

    reads: RawReads
    bodies: tuple[Body, ...]


def kept_of(text: str, *, with_reads: bool) -> Kept:
    """Read a source. Raises ParseError."""
    tree = parse(text)
    facts = lower(tree, text)
    return Kept(facts, told_by(tree, text)[1] if with_reads else b"")


def told_by(tree: ast.Module, text: str) -> tuple[Told, bytes]:
    """What a tree tells, and how that is kept."""
    told = Told(read(tree, text), bodies_of(tree, text))
    one = told.reads
    return told, pickle.dumps(((one.imports, one.env, one.computed, one.local, one.data), told.bodies), protocol=5)


def told_of(told: bytes) -> Told | None:
    """What was asked for; None where it was not, or is of no use."""
    try:
        (imports, env, computed, local, data), bodies = _Reader(io.BytesIO(told)).load()
    except _USELESS:
        return None
    reads = RawReads()
    reads.imports, reads.env, reads.computed, reads.local, reads.data = imports, env, computed, local, data
    return Told(reads, bodies)


def encoded(kept: Kept) -> bytes:
    """An entry as it is kept: a fifth of what it weighs as facts."""
    return pickle.dumps(kept.facts, protocol=5) + kept.told


class FactsStore:
    """The facts of one project's sources.

    path      the file; None where nothing is kept between compiles
    identity  the program, and all else that decides how a source is read
    writes    whether what is used will be written, and has to be remembered for it
    """

    def __init__(self, path: Path | None, identity: str, *, writes: bool = True) -> None:
        self._path, self._identity, self._writes = path, identity, writes
        self._there: dict[str, memoryview] | None = None
        self._agreed_there: frozenset[str] = frozenset()
        self._used: dict[str, bytes | memoryview] = {}
        self._unwritten: dict[str, Packed] = {}
        self._agreed: set[str] = set()
        self._new = False

    def get(self, digest: str) -> Kept | None:
        """What is kept of the source of that digest."""
        packed = self._unwritten.get(digest)
        content = packed.whole() if packed else self._used.get(digest) or self._entries().get(digest)
        return None if content is None else self._taken(digest, content)

    def add(self, digest: str, content: bytes) -> Kept | None:
        """What an entry says that somebody else has made (`encoded`), which is kept from now on."""
        self._new = True
        return self._taken(digest, content)

    def put(self, digest: str, kept: Kept) -> None:
        if self._writes:
            self._used[digest] = encoded(kept)
        else:
            self._unwritten[digest] = Packed(encoded(kept))
        self._new = True

    @property
    def empty(self) -> bool:
        """Whether nothing was kept, or nothing of use."""
        return not self._entries()

    def _taken(self, digest: str, content: bytes | memoryview) -> Kept | None:
        file = io.BytesIO(content)
        try:
            facts = _Reader(file).load()
        except _USELESS:
            return None
        if self._writes:
            self._used[digest] = content
        return Kept(facts, file.read())

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

    def content(self) -> list[bytes | memoryview] | None:
        """The file as it is to be now, in parts: it is large; None when it may stay as it is."""
        if not self._new and self._there is not None and len(self._used) == len(self._there):
            return None
        sizes = {digest: len(content) for digest, content in self._used.items()}
        index = json.dumps([self._identity, sizes, sorted(self._agreed)]).encode()
        parts = [index, b"\n", *self._used.values()]
        checksum = hashlib.sha256()
        for part in parts:
            checksum.update(part)
        return [b" ".join((_HEAD, checksum.hexdigest().encode())), b"\n", *parts]

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
        head, _, body = content.partition(b"\n")
        if head != b" ".join((_HEAD, hashlib.sha256(body).hexdigest().encode())):
            raise ValueError("not whole")
        index, _, rest = body.partition(b"\n")
        identity, sizes, agreed = json.loads(index)
        if identity != self._identity:
            raise ValueError("of another program")
        view, at, found = memoryview(rest), 0, {}
        for digest, size in sizes.items():
            found[digest] = view[at : at + size]
            at += size
        return found, frozenset(agreed)


class _Reader(pickle.Unpickler):
    """Makes facts, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _MADE[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is no class of facts") from None
