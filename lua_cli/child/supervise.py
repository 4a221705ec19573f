"""The process between lua-cli and the tool. In: the request on stdin. Out: how the tool's process ended, on the
status pipe.

It forks; the fork becomes the leader of a session and does the work. This process stays behind: it notices the end of
the work, or that lua-cli hung up (stdin is also the lifeline: it stays open as long as lua-cli wants the tool to
live), and then kills everything that the work left behind. Where lua-cli was killed, it removes the run's folder, too.
On Linux it adopts orphans (PR_SET_CHILD_SUBREAPER), so that processes that left the group and lost their parents die
too; elsewhere only the group of the tool can be killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LOOK_SECONDS = 0.5
_DISK = -1  # no wait status


def serve(result: int, status: int, early: Sequence[str] = ()) -> NoReturn:
    """Read the request on stdin, do it in a fork, clean up after it, and say how it ended; import `early` meanwhile."""
    from lua_cli.child.wire import Channel, read_request

    if early:
        from lua_cli.child.early import import_early

        import_early(early)
    try:
        order = json.loads(read_request(0))
    except EOFError:
        _end_unasked(os.path.dirname(os.environ["HOME"]))  # noqa: PTH120  # begin.environment_in
    work = _work(order["do"])
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(status)
        work(order, Channel(result, order["mark"]))
        os._exit(70)
    os.close(result)
    ended = _wait(pid, order["folder"], order["limits"]["disk"])
    left = _kill(pid) if ended is None else {}
    left |= _kill_everything(pid)
    if ended == _DISK:
        _end(status, b"limit disk\n", order["folder"])
    code = os.waitstatus_to_exitcode(left.get(pid, 0) if ended is None else ended)
    _end(status, b"signal %d\n" % -code if code < 0 else b"exit %d\n" % code, order["folder"])


def _end(status: int, word: bytes, folder: str) -> NoReturn:
    """Say how it ended. Where nobody is left to hear it, nobody else removes the run's folder."""
    try:
        os.write(status, word)
    except BrokenPipeError:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _end_unasked(folder: str) -> NoReturn:
    """End without an order: lua-cli went away. Nothing was written yet in the run's folder."""
    with contextlib.suppress(OSError):
        for name in (*os.listdir(folder), ""):  # noqa: PTH208
            os.rmdir(os.path.join(folder, name))  # noqa: PTH106, PTH118
    os._exit(0)


def _work(name: str) -> Callable[[dict[str, Any], Any], None]:
    """The work's module is imported before the fork, while nothing of the user's is loaded."""
    if name == "run":
        from lua_cli.child.run import run

        return run
    if name == "tries":
        from lua_cli.child.tries import tries

        return tries
    if name == "converse":
        from lua_cli.child.converse import converse

        return converse
    from lua_cli.child.look import look

    return look


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _wait(pid: int, folder: str, disk: int) -> int | None:
    """The tool's wait status; None when lua-cli hung up before it ended, _DISK when its folders hold too much."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        ready, _, _ = select.select([reading, 0], [], [], _LOOK_SECONDS)
        if not ready and _used(folder, disk) > disk:
            return _DISK
        if reading in ready:
            os.read(reading, 4096)
        if 0 in ready and not os.read(0, 4096):
            return None


def _kill(leader: int) -> dict[int, int]:
    """Kill the tool's process and its group; gives its wait status."""
    _signal_group(leader)
    _signal(leader, signal.SIGKILL)  # it may have no group of its own yet
    return {leader: os.waitpid(leader, 0)[1]}


def _kill_everything(leader: int) -> dict[int, int]:
    """Kill the tool's group and, where orphans come to us, every process below, until none is left. Gives their wait
    statuses.
    """
    _signal_group(leader)
    ended: dict[int, int] = {}
    while _has_children():
        below = _descendants(os.getpid())
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, so that none can start another meanwhile
            for pid in below:
                _signal(pid, number)
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # sleeps until one is dead; ECHILD: none is left
            while (dead := os.waitpid(-1, os.WNOHANG))[0]:
                ended[dead[0]] = dead[1]
        except ChildProcessError:
            break
    return ended


def _has_children() -> bool:
    """Whether anything is left: most tools leave nothing, and then nobody needs to look at all processes."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _used(folder: str, enough: int) -> int:
    """How many bytes the files below `folder` take; stops counting when it is enough."""
    total, queue = 0, [folder]
    while queue and total <= enough:
        try:
            entries = list(os.scandir(queue.pop()))
        except OSError:
            continue  # gone, or made unreadable: what it holds is bounded by the size of files all the same
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    queue.append(entry.path)
                total += entry.stat(follow_symlinks=False).st_blocks * 512
            except OSError:
                continue
    return total


def _descendants(pid: int) -> list[int]:
    """Every process below `pid`, as /proc tells it; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():  # noqa: PTH112, PTH208
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue  # it ended while we looked
            children.setdefault(parent, []).append(int(entry))
    found, queue = [], [pid]
    while queue:
        for child in children.get(queue.pop(), ()):
            found.append(child)
            queue.append(child)
    return found


def _signal_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return
