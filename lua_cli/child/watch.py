"""Says where a tool is when its time is up, just before the parent kills it. In: seconds. Out: a frame T with the
user's frames.

A thread waits; it looks at the stacks of all threads and of all asyncio tasks. For code that never lets another
thread run (a regular expression without end, a loop in C) faulthandler writes the stacks into a file a little later:
it needs no turn.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
from collections.abc import Callable
from types import CoroutineType, FrameType
from typing import Any, TextIO

from lua_cli.child.failure import Frames
from lua_cli.child.forks import TIMED_OUT
from lua_cli.child.wire import Channel

_SLACK = 0.15
LOOPS: list[Any] = []  # the event loop of the run; loops that the tool starts itself are found where Python lists them


def watch(seconds: float, channel: Channel, frames: Frames, trace: str, ends: str | None = None) -> None:
    """Start to watch. With `ends` (the name of a skill) this process kills itself when its time is up (its parent is
    not the one that waits).
    """
    file = open(trace, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # stays open for the life of the process
    faulthandler.enable(file, all_threads=True)
    if seconds > 0:
        faulthandler.dump_traceback_later(seconds + _SLACK, file=file)
        threading.Thread(target=_wait, args=(seconds, channel, frames, ends), daemon=True, name="lua-watch").start()
    _KEEP.append(file)


def alarm(seconds: float, channel: Channel, frames: Frames, file: TextIO) -> Callable[[], None]:
    """Watch one call of many; gives a function that ends the watch."""
    faulthandler.dump_traceback_later(seconds + _SLACK, file=file)
    done = threading.Event()

    def wait() -> None:
        if not done.wait(seconds):
            channel.send("T", json.dumps({"skill": None, "frames": where(frames)}).encode("ascii"))

    threading.Thread(target=wait, daemon=True, name="lua-watch").start()

    def quiet() -> None:
        faulthandler.cancel_dump_traceback_later()
        done.set()

    return quiet


_KEEP: list[TextIO] = []


def _wait(seconds: float, channel: Channel, frames: Frames, ends: str | None, pause: Any = threading.Event) -> None:
    pause().wait(seconds)
    channel.send("T", json.dumps({"skill": ends, "frames": where(frames)}).encode("ascii"))
    if ends is not None:
        os._exit(TIMED_OUT)


def where(frames: Frames) -> list[dict[str, Any]]:
    """The user's frames of the thread or task that stands deepest in user code."""
    stacks = [_thread_stack(frame) for frame in sys._current_frames().values()]
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None:
        known = {task for loop in LOOPS for task in asyncio.all_tasks(loop)}
        known.update(
            getattr(asyncio.tasks, "_all_tasks", None) or getattr(asyncio.tasks, "_scheduled_tasks", None) or ()
        )
        stacks += [_task_stack(task.get_coro()) for task in known if not task.done()]
    return max((frames.of_stack(stack) for stack in stacks), key=len, default=[])


def _thread_stack(frame: FrameType | None) -> list[tuple[FrameType, int]]:
    out = []
    while frame is not None:
        out.append((frame, frame.f_lineno))
        frame = frame.f_back
    return out[::-1]


def _task_stack(coroutine: Any) -> list[tuple[FrameType, int]]:
    """The frames of a suspended coroutine, through what it awaits."""
    out = []
    while isinstance(coroutine, CoroutineType) and coroutine.cr_frame is not None:
        out.append((coroutine.cr_frame, coroutine.cr_frame.f_lineno))
        coroutine = coroutine.cr_await
    return out
