"""Bytes that are held for later, packed. In: bytes. Out: the same bytes, again and again.

Of a large project the sources, what is known of them and the artifacts would be most of what a compile holds. Packing
a source takes some 15 microseconds, unpacking it 5. What is large is seldom text, and takes longer: it stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from zlib import compress, compressobj, decompress, decompressobj

_LARGE = 1 << 20
_PART = 1 << 16
_LEVEL = 1  # the others take longer for little: a source is a fifth of its size afterwards


class Packed:
    """`size` is that of the whole. Where nobody `packs`, it is there for a moment only."""

    __slots__ = ("_held", "_is_packed", "_sha256", "size")

    def __init__(self, whole: bytes, *, packs: bool = True) -> None:
        self.size = len(whole)
        self._is_packed = packs and self.size < _LARGE
        self._held = compress(whole, _LEVEL) if self._is_packed else whole
        self._sha256 = ""

    @classmethod
    def of_parts(cls, parts: Iterable[bytes]) -> Packed:
        """Of what is never there as a whole."""
        made, packing, held = cls(b""), compressobj(_LEVEL), bytearray()
        for part in parts:
            made.size += len(part)
            held += packing.compress(part)
        made._held, made._is_packed = bytes(held + packing.flush()), True
        return made

    def parts(self) -> Iterator[bytes]:
        """The whole, a part after the other."""
        if not self._is_packed:
            yield self._held
            return
        unpacking = decompressobj()
        for at in range(0, len(self._held), _PART):
            yield unpacking.decompress(self._held[at : at + _PART])
        yield unpacking.flush()

    def whole(self) -> bytes:
        return decompress(self._held) if self._is_packed else self._held

    @property
    def sha256(self) -> str:
        """The SHA-256 (hex) of the whole."""
        if not self._sha256:
            self._sha256 = sha256(self.whole()).hexdigest()
        return self._sha256

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packed) and self._held == other._held

    def __hash__(self) -> int:
        return hash(self._held)

    def __repr__(self) -> str:
        return f"Packed({self.whole()!r})"
