"""A child that was begun and its pipes. In: a `Begun`, what it is asked. Out: its frames, its log, how it ended. The
parent's side, shared by children that do one thing (launch.py) and children that go on (talk.py).

    stdin     the order, then the lifeline: it stays open as long as the child is wanted
    result    frames from the child             status   the supervisor's word on how the tool's process ended
    log       stdout and stderr                 answers  to what the child asks (frames Q)
    commands  further requests to a child that goes on
"""

from __future__ import annotations

import json
import os
import selectors
import time

from lua_cli.child.wire import Reader, request
from lua_cli.errors import LuaError

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from lua_cli.child.begin import Begun

    Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]

_LAST = 10.0  # for the supervisor to kill and count what is left
_START = 10.0  # for the interpreter to start: the tool's time begins when the child says so
_GRACE = 1.0  # after the time limit, for the child to say where it was
_PIECE = 65536


class Process:
    """The child. `answer` is called for what it asks, on the thread that pumps."""

    def __init__(self, begun: Begun, reader: Reader, log_room: int, answer: Answer | None = None) -> None:
        self.reader, self.limit = reader, ""
        self._answer, self._asked = answer, 0
        self._log, self._log_lost, self._log_room = bytearray(), 0, log_room
        self._status = bytearray()
        self._begun, self._process = begun, begun.process
        self.answers, self.commands = begun.numbers
        self._selector = selectors.DefaultSelector()
        self._sinks = dict(zip(begun.reads, (self.reader.feed, self._status.extend, self._keep_log), strict=True))
        self._status_pipe = begun.reads[1]
        self._answer_pipe, self._command_pipe = begun.writes
        self._waiting: dict[int, bytearray] = {}
        self.hung_up, self._wake = False, os.pipe()
        self._selector.register(self._wake[0], selectors.EVENT_READ)
        for reading in self._sinks:
            os.set_blocking(reading, False)
            self._selector.register(reading, selectors.EVENT_READ)
        for writing in (self._begun.stdin, self._answer_pipe, self._command_pipe):
            os.set_blocking(writing, False)

    @property
    def ended(self) -> bool:
        """The supervisor said how the tool's process ended."""
        return bool(self._status)

    def order(self, body: Mapping[str, Any]) -> None:
        """What the child shall do, on stdin; sent while pumping."""
        self._send(self._begun.stdin, body)

    def command(self, body: Mapping[str, Any]) -> None:
        """A further request to a child that goes on."""
        self._send(self._command_pipe, body)

    def _send(self, descriptor: int, body: Mapping[str, Any]) -> None:
        if descriptor not in self._waiting:
            self._waiting[descriptor] = bytearray()
            self._selector.register(descriptor, selectors.EVENT_WRITE)
        self._waiting[descriptor] += request(json.dumps(body).encode("ascii"))

    def pump(self, left: Callable[[], float], done: Callable[[], bool]) -> bool:
        """Feed and read until it is done, the child ended, somebody hung up, or no time is left (then True)."""
        while not self._status and not done():
            seconds = left()
            if seconds <= 0:
                return True
            for key, _ in self._selector.select(seconds):
                if key.fd == self._wake[0]:
                    self.hung_up = True
                    return False
                if key.fd in self._waiting:
                    self._feed(key.fd)
                elif self._take(key.fd) is None and key.fd == self._status_pipe:
                    return False  # the supervisor itself is gone
            self._answer_questions()
        return False

    def _answer_questions(self) -> None:
        if self._answer is None:
            return
        questions = [body for letter, body in self.reader.frames if letter == "Q"]
        for body in questions[self._asked :]:
            self._asked += 1
            try:
                question = json.loads(body)
            except ValueError:
                continue  # a tool that broke its own process
            self._send(self._answer_pipe, self._answer(question))

    def renew(self, room: int) -> None:
        """Forget the frames so far; `room` bytes of further ones are read."""
        self.reader.renew(room)
        self._asked = 0

    def _feed(self, descriptor: int) -> None:
        rest = self._waiting[descriptor]
        try:
            del rest[: os.write(descriptor, rest[:_PIECE])]
        except BlockingIOError:
            return
        except BrokenPipeError:
            rest.clear()  # it ended before it read all: the status says how
        if not rest:
            del self._waiting[descriptor]
            self._selector.unregister(descriptor)

    def _take(self, descriptor: int) -> int | None:
        """Read what is there; gives how much that was, None at the end of the pipe."""
        try:
            data = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return 0
        if not data:
            self._selector.unregister(descriptor)
            return None
        self._sinks[descriptor](data)
        return len(data)

    def _keep_log(self, data: bytes) -> None:
        room = max(self._log_room - len(self._log), 0)
        self._log += data[:room]
        self._log_lost += len(data) - len(data[:room])

    def drain(self) -> None:
        """Read what lies in the pipes already."""
        for descriptor in self._sinks:
            while descriptor in self._selector.get_map() and self._take(descriptor):
                pass

    def take_log(self) -> str:
        """The log since the last time, as text, with a last line that says what is missing."""
        text = bytes(self._log).decode("utf-8", "backslashreplace")
        lost, self._log_lost = self._log_lost, 0
        self._log.clear()
        return text + (f"\n… {lost} bytes more\n" if lost else "")

    def hang_up(self) -> None:
        """The child is not wanted any more: the one who pumps stops doing so. From any thread, before `finish`."""
        os.write(self._wake[1], b".")

    def finish(self) -> int | None:
        """Hang up, let the supervisor kill what is left, read the rest; gives the tool's exit code."""
        self._waiting.clear()
        self._begun.close_stdin()
        if not self._process.wait(_LAST):
            self._process.kill()
            self._process.wait(None)
        self.drain()
        self._selector.close()
        self._begun.close_pipes()
        for descriptor in self._wake:
            os.close(descriptor)
        return self._exit_code()

    def _exit_code(self) -> int | None:
        words = self._status.decode("ascii", "replace").split()
        if words[:1] == ["python"]:
            raise LuaError(
                f"the project's Python is {words[1]}, and tools need 3.11 or newer", hint="set `python` in [tool.lua]"
            )
        if words[:1] == ["limit"]:
            self.limit = words[1]
        if len(words) != 2 or self.limit:
            return None
        return -int(words[1]) if words[0] == "signal" else int(words[1])


def see_through(child: Process, order: Mapping[str, Any], timeout: float, finals: str) -> dict[str, Any]:
    """Give a child its order and see it through to its end; with one of the frames `finals` it is stopped. Gives what
    an `Ended` (launch.py) has, but `trace` and `seconds`."""
    child.order(order)
    begun, until = False, time.monotonic() + _START + timeout

    def left() -> float:
        nonlocal begun, until
        if not begun and any(letter == "B" for letter, _ in child.reader.frames):
            begun, until = True, time.monotonic() + timeout + _GRACE
        return until - time.monotonic()

    try:
        late = child.pump(left, lambda: any(letter in finals for letter, _ in child.reader.frames))
    finally:
        code = child.finish()
    frames = tuple(frames_of(child.reader.taken()))
    late = late or any(letter == "T" for letter, _ in frames)
    return {
        "frames": frames, "exit_code": code, "limit": child.limit, "timed_out": late, "logs": child.take_log(),
    }  # fmt: skip


def frames_of(frames: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Any]]:
    """The child's words as data, up to one that is no JSON: a tool that broke its own process says nothing more."""
    for letter, text in frames:
        try:
            yield letter, json.loads(text)
        except ValueError:
            return


def whole_order(body: Mapping[str, Any], child: Process, about: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """A request with what every child is told: `about` has its mark, time and limits."""
    trace = os.path.join(folder, "trace")  # noqa: PTH118
    return {**body, **about, "trace": trace, "folder": folder, "commands": child.commands}
