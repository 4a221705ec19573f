"""The parent's side: start a child, feed it, read it, stop it. In: an `Order`. Out: an `Ended`, whatever the child
did.

Waits for the child's end and for its frames, never for a pipe to close: processes that a tool leaves behind may hold
pipes open. When this returns, nothing of the child is left running (supervise.py).
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lua_cli.child.sandbox import Sandbox, find_bubblewrap, wrapped
from lua_cli.child.wire import Reader, new_mark, request
from lua_cli.errors import LuaError, UsageError

NO_CHANNEL = 71  # as run.py ends the process
START = Path(__file__).with_name("start.py")
_START = 10.0  # for the interpreter to start: the tool's time begins when the child says so
_GRACE = 1.0  # after the time limit, for the child to say where it was
_LAST = 10.0  # for the supervisor to kill and count what is left


@dataclass(frozen=True, slots=True)
class Limits:
    """What a tool may use, in bytes and seconds. Without `cpu`, CPU time is 4 times the time limit and 10 seconds."""

    memory: int = 2 * 1024**3
    file_size: int = 100 * 1024**2
    disk: int = 512 * 1024**2
    open_files: int = 512
    cpu: int | None = None
    logs: int = 1024**2
    answer: int = 64 * 1024**2

    def for_child(self, timeout: float) -> dict[str, int]:
        """The limits that the child sets for itself."""
        cpu = int(timeout * 4) + 10 if self.cpu is None else self.cpu
        sizes = {"memory": self.memory, "file_size": self.file_size, "disk": self.disk}
        return {**sizes, "cpu": cpu, "open_files": self.open_files}


@dataclass(frozen=True, slots=True)
class Order:
    """A child to start.

    body     the request, without "mark", "timeout" and "limits"
    folder   an empty folder: working folder, home and temporary files of the tool
    finals   the frames that are the last word: with one of them the child is stopped; without any, at its own end
    sandbox  inside of bubblewrap
    """

    interpreter: Path
    body: Mapping[str, Any]
    environment: Mapping[str, str]
    folder: Path
    timeout: float
    limits: Limits = field(default_factory=Limits)
    finals: str = "RT"
    sandbox: Sandbox | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """What a child came to.

    frames     what it sent, in order: (letter, JSON)
    exit_code  of the tool's process; negative: the signal that ended it; None when that is not known
    limit      "disk" when the supervisor stopped it for that
    timed_out  it was stopped at the time limit
    logs       what was written to stdout and stderr, in order, cut at the limit
    trace      the stacks that faulthandler left: a crash in C, or a time limit
    """

    frames: tuple[tuple[str, Any], ...]
    exit_code: int | None
    limit: str
    timed_out: bool
    logs: str
    trace: str
    seconds: float

    def first(self, letter: str) -> Any:
        """The first frame of that letter, or None."""
        return next((body for sort, body in self.frames if sort == letter), None)


def _frames(frames: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The child's words, up to one that is no JSON: a tool that has broken its own process says nothing more."""
    for letter, text in frames:
        try:
            yield letter, json.loads(text)
        except ValueError:
            return


def launch(order: Order) -> Ended:
    """Start the child and wait for its end. Raises LuaError when that Python cannot be started or is too old."""
    if sys.platform == "win32":
        raise UsageError("tools run on Linux and macOS only", hint="use WSL on Windows")
    if order.sandbox is not None:
        find_bubblewrap()
    mark, trace = new_mark(), order.folder / "trace"
    work, home, temporary = (order.folder / name for name in ("work", "home", "tmp"))
    for made in (work, home, temporary):
        made.mkdir()
    body = {
        **order.body, "mark": mark, "timeout": order.timeout, "trace": str(trace), "folder": str(order.folder),
        "limits": order.limits.for_child(order.timeout),
    }  # fmt: skip
    environment = {**order.environment, "HOME": str(home), "TMPDIR": str(temporary)}
    begun = time.monotonic()
    child = _Child(order, environment, work, Reader(mark, order.limits.answer))
    try:
        timed_out = child.pump(request(json.dumps(body).encode("ascii")))
    finally:
        code = child.finish()
    logs = child.log_text()
    if code is None and order.sandbox is not None and logs.startswith("bwrap: "):
        raise LuaError(f"the sandbox cannot be started: {logs.partition(chr(10))[0]}", hint="leave --sandbox out")
    received = tuple(_frames(child.answer.frames))
    return Ended(
        frames=received,
        exit_code=code,
        limit=child.limit,
        timed_out=timed_out or "T" in [letter for letter, _ in received],
        logs=logs,
        trace=_read(trace),
        seconds=time.monotonic() - begun,
    )


def _read(trace: Path) -> str:
    try:
        return trace.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _command(order: Order, environment: Mapping[str, str], work: Path, result: int, status: int) -> list[str]:
    plain = [str(order.interpreter), "-I", "-u", "-X", "utf8", str(START), str(result), str(status)]
    if order.sandbox is None:
        return plain
    return wrapped(
        plain,
        order.sandbox,
        interpreter=order.interpreter,
        folder=order.folder,
        work=work,
        environment=environment,
    )


class _Child:
    """A started child and its four pipes: request (and lifeline), answer, status, log."""

    def __init__(self, order: Order, environment: Mapping[str, str], folder: Path, answer: Reader) -> None:
        self.answer, self._log, self._log_lost = answer, bytearray(), 0
        self._finals, self._limits, self._timeout = order.finals, order.limits, order.timeout
        self._status, self.limit = bytearray(), ""
        pipes = [os.pipe() for _ in range(3)]
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the project's Python, our script
                _command(order, environment, folder, pipes[0][1], pipes[1][1]),
                stdin=subprocess.PIPE,
                stdout=pipes[2][1],
                stderr=pipes[2][1],
                pass_fds=(pipes[0][1], pipes[1][1]),
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            for reading, _ in pipes:
                os.close(reading)
            raise LuaError(
                f"cannot start {order.interpreter}: {error.strerror}",
                hint="see `python` in [tool.lua], or remake the virtual environment",
            ) from error
        finally:
            for _, writing in pipes:
                os.close(writing)
        assert self._process.stdin is not None  # noqa: S101  # asked for above
        self._stdin = self._process.stdin
        sinks = (self.answer.feed, self._status.extend, self._keep_log)
        self._sinks = dict(zip((reading for reading, _ in pipes), sinks, strict=True))
        self._status_pipe = pipes[1][0]
        self._selector = selectors.DefaultSelector()
        for reading in self._sinks:
            os.set_blocking(reading, False)
            self._selector.register(reading, selectors.EVENT_READ)
        os.set_blocking(self._stdin.fileno(), False)

    def pump(self, body: bytes) -> bool:
        """Feed and read until there is a last word, the child ended, or time is up (then True)."""
        rest, begun = memoryview(body), False
        until = time.monotonic() + _START + self._timeout
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        while not self._status and not any(letter in self._finals for letter, _ in self.answer.frames):
            if not begun and any(letter == "B" for letter, _ in self.answer.frames):
                begun, until = True, time.monotonic() + self._timeout + _GRACE
            left = until - time.monotonic()
            if left <= 0:
                return True
            for key, _ in self._selector.select(left):
                if key.fileobj is self._stdin:
                    rest = rest[self._feed(rest) :]
                    if not rest:
                        self._selector.unregister(self._stdin)
                elif self._take(key.fd) is None and key.fd == self._status_pipe:
                    return False  # the supervisor itself is gone
        return False

    def _feed(self, rest: memoryview) -> int:
        try:
            return os.write(self._stdin.fileno(), rest[:65536])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(rest)  # it ended before it read all: the status says how

    def _take(self, descriptor: int) -> int | None:
        """Read what is there; gives how much that was, None at the end of the pipe."""
        try:
            data = os.read(descriptor, 65536)
        except BlockingIOError:
            return 0
        if not data:
            self._selector.unregister(descriptor)
            return None
        self._sinks[descriptor](data)
        return len(data)

    def _keep_log(self, data: bytes) -> None:
        room = max(self._limits.logs - len(self._log), 0)
        self._log += data[:room]
        self._log_lost += len(data) - len(data[:room])

    def finish(self) -> int | None:
        """Hang up, let the supervisor kill what is left, read the rest; gives the tool's exit code."""
        self._stdin.close()
        try:
            self._process.wait(_LAST)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for descriptor in self._sinks:
            while descriptor in self._selector.get_map() and self._take(descriptor):
                pass
            os.close(descriptor)
        self._selector.close()
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

    def log_text(self) -> str:
        """The log as text, with a last line that says what is missing."""
        text = bytes(self._log).decode("utf-8", "backslashreplace")
        return text + (f"\n… {self._log_lost} bytes more\n" if self._log_lost else "")
