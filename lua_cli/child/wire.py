"""Requests and frames between parent and child. In: bytes. Out: bytes. Standard library, no user code.

A request is its length in 8 hexadecimal digits and then JSON, on the child's stdin. A frame is a mark that only this
run knows, one letter, a length in 8 hexadecimal digits, and JSON: what user code writes into the pipe by accident is
noticed, never believed.

    B   user code is about to run: its time begins
    H   HTTP that a case recorded, or had no answer for
    R   the answer of a run                         S   what the probe saw of one skill
    T   where the tool was when its time was up     X   how the process of a skill's probe ended
    Q   a question about the end user or data: the answer comes on a pipe of its own, framed as a request
    C   what one condition said                     V   what a tool said on a voice session
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Callable, Iterator

_MARK = 32
_read, _write = os.read, os.write  # user code may replace them


def request(body: bytes) -> bytes:
    """The bytes of a request."""
    return b"%08x" % len(body) + body


def read_request(descriptor: int) -> bytes:
    """The body of the request on `descriptor`. Raises EOFError when the parent went away."""
    return _exactly(descriptor, int(_exactly(descriptor, 8), 16))


def _exactly(descriptor: int, count: int) -> bytes:
    parts, missing = [], count
    while missing:
        part = _read(descriptor, missing)
        if not part:
            raise EOFError("the request ended early")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


class Channel:
    """The child's end of the result pipe. Only the process that opened it writes: a copy that user code forked does
    not.
    """

    def __init__(self, descriptor: int, mark: str) -> None:
        self._descriptor = descriptor
        self._mark = mark.encode("ascii")
        self._owner = os.getpid()
        self._lock = allocate_lock()  # the thread that watches the time sends too

    def move(self, to: Callable[[int], int]) -> None:
        """Continue on another descriptor."""
        self._descriptor = to(self._descriptor)

    def taken_over(self) -> Channel:
        """The same channel for a process that lua-cli itself forked."""
        return Channel(self._descriptor, self._mark.decode("ascii"))

    def send(self, letter: str, body: bytes) -> None:
        """Write one frame. Raises OSError when user code closed the pipe."""
        if os.getpid() != self._owner:
            os._exit(0)
        data = memoryview(self._mark + letter.encode("ascii") + b"%08x" % len(body) + body)
        with self._lock:
            while data:
                data = data[_write(self._descriptor, data) :]


class Reader:
    """The parent's end: takes bytes as they come, keeps whole frames; anything that is none is skipped."""

    def __init__(self, mark: str, limit: int) -> None:
        self._mark, self._room = mark.encode("ascii"), limit
        self._rest = bytearray()
        self.frames: list[tuple[str, bytes]] = []

    def feed(self, data: bytes) -> None:
        """Take what was read, up to the limit over the whole life."""
        self._rest += data[: max(self._room, 0)]
        self._room -= len(data)
        while (frame := self._next()) is not None:
            self.frames.append(frame)

    def taken(self) -> Iterator[tuple[str, bytes]]:
        """The frames so far, each forgotten as it is given: those of a large project are much."""
        while self.frames:
            yield self.frames.pop(0)

    def renew(self, room: int) -> None:
        """Forget the frames so far, and take `room` bytes more."""
        self.frames.clear()
        self._room = room

    def _next(self) -> tuple[str, bytes] | None:
        at = self._rest.find(self._mark)
        if at < 0:
            del self._rest[: max(len(self._rest) - _MARK + 1, 0)]
            return None
        start = at + _MARK + 9
        head = bytes(self._rest[at + _MARK : start])
        if len(head) < 9:
            return None
        try:
            length = int(head[1:], 16)
        except ValueError:
            del self._rest[: at + _MARK]
            return self._next()
        body = bytes(self._rest[start : start + length])
        if len(body) < length:
            return None
        del self._rest[: start + length]
        return chr(head[0]), body


def new_mark() -> str:
    """A mark for one run."""
    return os.urandom(_MARK // 2).hex()
