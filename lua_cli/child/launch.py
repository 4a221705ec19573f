"""The parent's side: start a child, feed it, read it, stop it. In: an `Order`. Out: an `Ended`, whatever the child
did.

Waits for the child's end and for its frames, never for a pipe to close: processes that a tool leaves behind may hold
pipes open. When this returns, nothing of the child is left running (supervise.py).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.child.begin import Begun, begin, environment_in, refuse_windows
from lua_cli.child.process import Process, see_through, whole_order
from lua_cli.child.sandbox import Sandbox, find_bubblewrap, wrapped
from lua_cli.child.wire import Reader, new_mark
from lua_cli.errors import LuaError
from lua_cli.records import field, record

if TYPE_CHECKING:
    from lua_cli.child.process import Answer

NO_CHANNEL = 71  # as run.py ends the process


@record(frozen=True)
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


Watch = Callable[[Callable[[], None]], Callable[[], None]]
"""Takes what ends something, to call it from any thread; gives what takes that back."""


@record(frozen=True)
class Order:
    """A child to start.

    body     the request, without "mark", "timeout" and "limits", or what makes it: that is called while the child
             starts, and when it raises the child ends before anything of the user's ran
    early    modules that the child imports meanwhile
    folder   the folder of the run (begin.py): working folder, home and temporary files of the tool
    finals   the frames that are the last word: with one of them the child is stopped; without any, at its own end
    sandbox  inside of bubblewrap
    answer   answers what the child asks about the end user and data; None: it does not ask
    begun    the child, when it was begun already: interpreter, environment, early and sandbox are its own
    """

    interpreter: Path
    body: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    environment: Mapping[str, str]
    folder: Path
    timeout: float
    limits: Limits = field(default_factory=Limits)
    finals: str = "RT"
    sandbox: Sandbox | None = None
    early: tuple[str, ...] = ()
    answer: Answer | None = None
    begun: Begun | None = None
    watch: Watch | None = None

    def made_body(self) -> Mapping[str, Any]:
        """The request; made now, where it is made."""
        return self.body() if callable(self.body) else self.body


@record(frozen=True)
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


def launch(order: Order) -> Ended:
    """Start the child and wait for its end. Raises LuaError when that Python cannot be started or is too old, and
    whatever the making of the request raises.
    """
    since = time.monotonic() if order.begun is None else order.begun.since
    child, body, trace = start_child(order)
    forget = order.watch(child.hang_up) if order.watch is not None else None
    try:
        seen = see_through(child, body, order.timeout, order.finals)
    finally:
        if forget is not None:
            forget()
    check_sandbox(order, seen["exit_code"], seen["logs"])
    return Ended(**seen, trace=read_trace(trace), seconds=time.monotonic() - since)


def launch_all(orders: Sequence[Order]) -> list[Ended]:
    """Launch several at once, each pumped by a thread of its own; all are started before the first thread is. Raises
    what `launch` raises, when all have ended.
    """
    if len(orders) == 1:
        return [launch(orders[0])]
    since = time.monotonic()
    started: list[tuple[Process, dict[str, Any], Path]] = []
    try:
        started.extend(map(start_child, orders))  # one by one: those before one that fails are known
    except BaseException:
        for child, _, _ in started:
            child.finish()
        raise
    outcomes: list[dict[str, Any] | BaseException] = [{} for _ in orders]

    def see(number: int) -> None:
        child, body, _ = started[number]
        try:
            outcomes[number] = see_through(child, body, orders[number].timeout, orders[number].finals)
        except BaseException as error:  # noqa: BLE001  # carried over to who waits
            outcomes[number] = error

    threads = [threading.Thread(target=see, args=(number,), name=f"child-{number}") for number in range(len(orders))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:  # an interrupt: the children would go on to their time limits
        for thread, (child, _, _) in zip(threads, started, strict=True):
            if thread.is_alive():
                with suppress(OSError):  # it ended meanwhile
                    child.hang_up()
            thread.join()
        raise
    found: list[Ended] = []
    for order, seen, (_, _, trace) in zip(orders, outcomes, started, strict=True):
        if isinstance(seen, BaseException):
            raise seen
        check_sandbox(order, seen["exit_code"], seen["logs"])
        found.append(Ended(**seen, trace=read_trace(trace), seconds=time.monotonic() - since))
    return found


def start_child(order: Order) -> tuple[Process, dict[str, Any], Path]:
    """The started process, the request that it waits for, and where its traces will lie. Raises LuaError."""
    refuse_windows()
    if order.sandbox is not None:
        find_bubblewrap()
    try:
        begun = order.begun or _begin(order)
    except LuaError:
        order.made_body()  # what is wrong with the request is said first
        raise
    try:
        made_body = order.made_body()
    except BaseException:
        begun.drop()
        raise
    mark = new_mark()
    child = Process(begun, Reader(mark, order.limits.answer), order.limits.logs, order.answer)
    about = {"mark": mark, "timeout": order.timeout, "limits": order.limits.for_child(order.timeout)}
    about["answers"] = None if order.answer is None else child.answers
    return child, whole_order(made_body, child, about, str(order.folder)), order.folder / "trace"


def _begin(order: Order) -> Begun:
    folder = str(order.folder)
    environment = environment_in(folder, order.environment)
    if order.sandbox is None:
        return begin(str(order.interpreter), environment, folder, order.early)
    sandbox = order.sandbox

    def inside(command: list[str]) -> list[str]:
        return wrapped(
            command,
            sandbox,
            interpreter=order.interpreter,
            folder=order.folder,
            work=order.folder / "work",
            environment=environment,
        )

    return begin(str(order.interpreter), environment, folder, order.early, inside)


def check_sandbox(order: Order, code: int | None, logs: str) -> None:
    """Raises LuaError when it was the sandbox that did not start."""
    if code is None and order.sandbox is not None and logs.startswith("bwrap: "):
        raise LuaError(f"the sandbox cannot be started: {logs.partition(chr(10))[0]}", hint="leave --sandbox out")


def read_trace(trace: Path) -> str:
    """The stacks that faulthandler left; "" without any."""
    try:
        return trace.read_text("utf-8", errors="replace")
    except OSError:
        return ""
