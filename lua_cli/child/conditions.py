"""Conditions, asked together. In: functions by name, a budget in seconds for each. Out: what each said, as soon as it
does; and the names of those that hang.

A coroutine function runs on the conversation's loop, anything else in a thread of its own. A thread cannot be stopped:
one that hangs is left alone, and its condition is not asked again before it has come back.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lua_cli.child.failure import Frames, message_of
from lua_cli.child.load import RefusedError
from lua_cli.child.loops import LoopThread

_PING = 0.5
Said = Callable[[str, dict[str, Any]], None]


class Conditions:
    """The conditions of a skill over a conversation."""

    def __init__(self, loop: LoopThread, frames: Frames) -> None:
        self._loop, self._frames = loop, frames
        self._asking: dict[str, threading.Thread] = {}

    def find(self, finders: Mapping[str, Callable[[], Any]], said: Said) -> dict[str, Callable[[], Any]]:
        """The functions to ask, found one after another, as imports must be. `said` is told of those that cannot be
        found, and of those that still hang.
        """
        found: dict[str, Callable[[], Any]] = {}
        for name, finder in finders.items():
            if name in self._asking and self._asking[name].is_alive():
                said(name, {"open": False, "reason": "has not come back since an earlier turn", "ms": 0})
                continue
            try:
                found[name] = finder()
            except BaseException as error:  # noqa: BLE001  # user code: whatever it raises leaves the tool out
                said(name, {"open": False, "reason": self._words(error), "ms": 0})
        return found

    def ask(self, asked: Mapping[str, Callable[[], Any]], budget: float, said: Said) -> list[str]:
        """Ask; gives the names of those that block the loop, which then takes nothing more. `said` is told
        {"open", "reason", "ms"} of each one, those without an answer included, except those that a blocked loop held
        up.
        """
        round_ = _Round(queue.SimpleQueue(), {}, dict.fromkeys(asked))
        for name, function in asked.items():
            work = (name, function, time.monotonic(), round_)
            thread = threading.Thread(target=self._one, args=work, name=f"condition {name}", daemon=True)
            self._asking[name] = thread
            thread.start()
        until = time.monotonic() + budget
        while round_.waiting and (left := until - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                name, answer = round_.answers.get(timeout=left)
                round_.waiting.pop(name)
                said(name, answer)
        return self._late(round_, budget, said)

    def _late(self, round_: _Round, budget: float, said: Said) -> list[str]:
        """What is to be said of those without an answer; gives those that block the loop."""
        late = [name for name in round_.waiting if name in round_.tasks]
        blocked = bool(late) and not self._responds()
        hung: list[str] = []
        if blocked:
            holder = self._loop.busy_with()
            hung = [name for name in late if holder is not None and round_.tasks[name].task is holder] or late
        for name in round_.waiting:
            if blocked and name in late and name not in hung:
                continue  # held up by another: it may be asked again elsewhere
            if name in late and not blocked:
                round_.tasks[name].cancel()
            said(name, {"open": False, "reason": f"no answer within {budget:g} seconds", "ms": round(budget * 1000)})
        return hung

    def _responds(self) -> bool:
        answered = threading.Event()
        self._loop.loop.call_soon_threadsafe(answered.set)
        return answered.wait(_PING)

    def _one(self, name: str, function: Callable[[], Any], begun: float, round_: _Round) -> None:
        """In a thread: ask one, and pass on what it says."""
        try:
            if inspect.iscoroutinefunction(function):
                round_.tasks[name] = _Task(self._loop, function)
                value = round_.tasks[name].result()
            else:
                value = function()
                if inspect.isawaitable(value):
                    value = self._loop.settle(value)
            answer = {"open": True, "reason": ""} if value else {"open": False, "reason": _no(value)}
        except BaseException as error:  # noqa: BLE001  # user code: whatever it raises leaves the tool out
            answer = {"open": False, "reason": self._words(error)}
        round_.answers.put((name, {**answer, "ms": round((time.monotonic() - begun) * 1000)}))

    def _words(self, error: BaseException) -> str:
        if isinstance(error, RefusedError):
            kind, words = error.facts.get("type", ""), error.facts.get("message", "")
        else:
            kind, words = type(error).__name__, message_of(error, self._frames)
        return f"{kind}: {words}" if words else kind


@dataclass
class _Round:
    """One round of asking: answers as they come, the tasks on the loop, and who has not answered."""

    answers: queue.SimpleQueue[tuple[str, dict[str, Any]]]
    tasks: dict[str, _Task]
    waiting: dict[str, None]


class _Task:
    """A condition on the loop."""

    def __init__(self, loop: LoopThread, function: Callable[[], Any]) -> None:
        self.task: asyncio.Task[Any] | None = None
        self._future = loop.begin(self._run(function))

    async def _run(self, function: Callable[[], Any]) -> Any:
        self.task = asyncio.current_task()
        return await function()

    def result(self) -> Any:
        """What it says; waits."""
        return self._future.result()

    def cancel(self) -> None:
        """Nobody waits for it any more."""
        self._future.cancel()


def _no(value: Any) -> str:
    if value is False:
        return "it said no"
    return "it returned None" if value is None else f"it returned an empty {type(value).__name__}"
