"""The container of an artifact: a ZIP of which there is exactly one form for one set of files.

In: names and bytes. Out: the archive's bytes, or the files of one. Touches no disk, knows nothing of what files mean.

Members are stored, not deflated (zlib builds differ), in the order given, dated 1980-01-01, mode 0644, made by "Unix",
names in UTF-8 with the flag set, no extra fields, no comments, no zip64. Reading goes front to back and then compares
the directory at the end with the one that writing would have made: what overlaps, hides, trails or disagrees with
itself has no place to be.
"""

from __future__ import annotations

import struct
import zlib

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_ARCHIVE = 50 * 1024 * 1024
MAX_FILE = 10 * 1024 * 1024
MAX_FILES = 2000

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_LOCAL_SIGN, _CENTRAL_SIGN, _END_SIGN = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_NEEDED = 20
_MADE_BY = 3 << 8 | _NEEDED  # Unix, so that the mode means something
_FLAGS = 0x0800  # names are UTF-8
_DATE = 1 << 5 | 1  # 1980-01-01, the first day that the format knows
_MODE = 0o100644 << 16
_ENCRYPTED, _DEFERRED = 0x0001, 0x0008


class ArchiveError(ValueError):
    """The bytes are not an archive of this form; the text says why, as a sentence without a subject's full stop."""


def write_archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    """The archive of `files`, in their order. The caller has checked names and sizes."""
    body, directory = bytearray(), bytearray()
    count = 0
    for name, content in files:
        encoded, crc = name.encode("utf-8"), zlib.crc32(content)
        directory += _central(encoded, crc, len(content), len(body))
        body += _local(encoded, crc, len(content)) + content
        count += 1
    return bytes(body + directory + _end(count, len(directory), len(body)))


def read_archive(data: bytes) -> dict[str, bytes]:
    """The files of an archive, in order. Raises ArchiveError for what `write_archive` would not make of them."""
    if len(data) > MAX_ARCHIVE:
        raise ArchiveError(f"it is larger than {MAX_ARCHIVE // 2**20} MiB")
    if data[:4] != _LOCAL_SIGN:
        raise ArchiveError("it is not a ZIP archive" if data[:2] != b"PK" else "it has no members")
    files: dict[str, bytes] = {}
    directory = bytearray()
    at = 0
    while data[at : at + 4] == _LOCAL_SIGN:
        if len(files) > MAX_FILES:
            raise ArchiveError(f"it has more than {MAX_FILES} files")
        name, crc, content = _member(data, at)
        if name in files:
            raise ArchiveError(f"the member {name!r} is there twice")
        encoded = name.encode("utf-8")
        directory += _central(encoded, crc, len(content), at)
        at += _LOCAL.size + len(encoded) + len(content)
        files[name] = content
    if data[at:] != bytes(directory + _end(len(files), len(directory), at)):
        raise ArchiveError(_tail_problem(data[at:], len(directory)))
    return files


def _local(name: bytes, crc: int, size: int) -> bytes:
    return _LOCAL.pack(_LOCAL_SIGN, _NEEDED, _FLAGS, 0, 0, _DATE, crc, size, size, len(name), 0) + name


def _central(name: bytes, crc: int, size: int, offset: int) -> bytes:
    fixed = (
        _CENTRAL_SIGN,
        _MADE_BY,
        _NEEDED,
        _FLAGS,
        0,
        0,
        _DATE,
        crc,
        size,
        size,
        len(name),
        0,
        0,
        0,
        0,
        _MODE,
        offset,
    )
    return _CENTRAL.pack(*fixed) + name


def _end(count: int, size: int, offset: int) -> bytes:
    return _END.pack(_END_SIGN, 0, 0, count, count, size, offset, 0)


def _member(data: bytes, at: int) -> tuple[str, int, bytes]:
    """Name, checksum and content of the member whose header is at `at`."""
    if at + _LOCAL.size > len(data):
        raise ArchiveError("it is cut off")
    _, needed, flags, method, time, date, crc, stored, size, name_length, extra = _LOCAL.unpack_from(data, at)
    begin = at + _LOCAL.size + name_length
    raw = data[at + _LOCAL.size : begin]
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ArchiveError(f"the member name {raw!r} is not UTF-8") from None
    wrong = _header_problem(needed, flags, method, (time, date), extra, stored == size)
    if wrong:
        raise ArchiveError(f"the member {name!r} {wrong}")
    if size > MAX_FILE:
        raise ArchiveError(f"the member {name!r} is larger than {MAX_FILE // 2**20} MiB")
    content = data[begin : begin + size]
    if len(content) != size:
        raise ArchiveError("it is cut off")
    if zlib.crc32(content) != crc:
        raise ArchiveError(f"the member {name!r} is damaged (its checksum differs)")
    return name, crc, content


def _header_problem(
    needed: int, flags: int, method: int, when: tuple[int, int], extra: int, same_size: bool
) -> str | None:
    if flags & _ENCRYPTED:
        return "is encrypted"
    if flags & _DEFERRED:
        return "states its size after its content"
    if method != 0 or not same_size:
        return "is compressed"
    if extra:
        return "has extra fields"
    if when != (0, _DATE):
        return "is not dated 1980-01-01"
    if needed != _NEEDED or flags != _FLAGS:
        return "has a header that lua-cli does not write"
    return None


def _tail_problem(tail: bytes, directory: int) -> str:
    """What is wrong with the bytes after the last member; `directory` is the size that the directory should have."""
    if len(tail) < directory + _END.size:
        return "it is cut off"
    if tail[:4] != _CENTRAL_SIGN:
        return "there are foreign bytes between its members"
    if tail[directory : directory + 4] == _END_SIGN and len(tail) > directory + _END.size:
        comment = _END.unpack_from(tail, directory)[-1]
        return "it has a comment" if comment else "there are bytes after its end"
    return "its directory does not agree with its members (a link, another mode, order or place, or a hidden member)"


def total_size(files: Mapping[str, int]) -> int:
    """How large the archive of files of these sizes is, without making it."""
    names = sum(len(name.encode("utf-8")) for name in files)
    return sum(files.values()) + 2 * names + len(files) * (_LOCAL.size + _CENTRAL.size) + _END.size
