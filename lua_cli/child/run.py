"""One call of one tool. In: the request {"artifact", "hidden", "module", "qualname", "input", "timeout", "limits",
"trace", "answers"}. Out: one frame R: {"ok": true, "output": "<JSON text>", "notes"} or {"ok": false, "kind", …}; then
the process ends at once, whatever threads are left.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lua_cli.child import confine
from lua_cli.child.asking import connect_state
from lua_cli.child.calling import arguments, is_coroutine_function
from lua_cli.child.encode import MAX_BYTES, NotJsonError, encode
from lua_cli.child.failure import Frames, describe
from lua_cli.child.load import RefusedError, build, input_kind, instance_of
from lua_cli.child.watch import LOOPS, watch
from lua_cli.child.wire import Channel

if TYPE_CHECKING:
    from lua_cli.child.exchanges import Exchanges

NO_CHANNEL = 71  # how the process ends when the tool closed the pipe that its result goes through
ANSWER_BYTES = 2 * MAX_BYTES + 1024**2  # the output once more quoted, and what stands around it
_exit = os._exit


def run(order: dict[str, Any], channel: Channel) -> None:
    """Do it, and end the process."""
    channel.move(confine.safe_descriptor)
    confine.detach_stdin()
    confine.plain_streams()
    frames = Frames(order["artifact"])
    confine.hide(order["hidden"])
    confine.import_from(order["artifact"])
    watch(order["timeout"], channel, frames, order["trace"])
    channel.send("B", b"{}")
    confine.limit(order["limits"])
    connect_state(order["answers"], channel)
    exchanges = play_http(order.get("http"))
    found = answer(order, frames)
    flush_streams()
    try:
        if exchanges is not None:
            channel.send("H", exchanges.heard(ANSWER_BYTES).encode("ascii"))
        channel.send("R", encode(found, limit=ANSWER_BYTES).encode("ascii"))
    except OSError:
        _exit(NO_CHANNEL)
    _exit(0)


def play_http(given: dict[str, Any] | None) -> Exchanges | None:
    """HTTP of a case, from here on; None leaves the network as it is."""
    if given is None:
        return None
    from lua_cli.child.exchanges import Exchanges, install

    exchanges = Exchanges(given["exchanges"], given["record"])
    install(exchanges)
    if not given["record"]:
        from lua_cli.child.offline import go_offline

        go_offline("no network in a case with `http`: the client is not one whose requests can be answered")
    return exchanges


def flush_streams() -> None:
    """What the tool printed is in the log's pipe when its result is sent."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(Exception):  # the tool replaced or closed it: then there is nothing of it to keep
            stream.flush()  # type: ignore[union-attr]  # None where it was closed


def answer(order: dict[str, Any], frames: Frames) -> dict[str, Any]:
    """Build the tool and make the call; what came of it, as the frame R has it."""
    return called(lambda: build(order["module"], order["qualname"], frames), order["input"], frames, _Loop().settle)


def called(
    make: Callable[[], Any], text: str, frames: Frames, settle: Callable[[Any], Any], context: Any = None
) -> dict[str, Any]:
    """Call the tool that `make` gives with the input in `text`; `settle` gives what an awaitable comes to, `context` is
    the voice session's.
    """
    notes: list[str] = []
    try:
        tool = make()
        value = instance_of(input_kind(tool, frames), text, frames)
        result = _execute(tool, value, settle, context)
        return {"ok": True, "output": encode(result, settle, notes), "notes": notes}
    except RefusedError as refusal:
        return {"ok": False, "kind": refusal.facts["step"], **refusal.facts}
    except NotJsonError as error:
        return {"ok": False, "kind": "output", "path": error.path, "message": error.message, "hint": error.hint}
    except SystemExit as error:
        return {
            "ok": False,
            "kind": "exit",
            "status": error.code if isinstance(error.code, int) else 0 if error.code is None else 1,
        }
    except MemoryError as error:
        return {"ok": False, "kind": "memory", **describe(error, frames)}
    except BaseException as error:  # noqa: BLE001  # whatever user code raises is the tool's error
        return {"ok": False, "kind": "raised", **describe(error, frames)}


class _Loop:
    """The event loop of a run, made when something is awaited. It is not closed: closing would wait for tasks that do
    not end, and the process is about to.
    """

    def __init__(self) -> None:
        self._runner: Any = None

    def settle(self, value: Any) -> Any:
        """What an awaitable comes to."""
        import asyncio

        if self._runner is None:
            self._runner = asyncio.Runner()
            LOOPS.append(self._runner.get_loop())
        return self._runner.run(awaited(value))


async def awaited(value: Awaitable[Any]) -> Any:
    """`value` as a coroutine, whatever kind of awaitable it is."""
    return await value


def _execute(tool: Any, value: Any, settle: Callable[[Any], Any], context: Any) -> Any:
    """Call `execute`: a coroutine function on the loop, anything else in a thread that has no loop, so that it may
    start its own.
    """
    given = arguments(tool.execute, value, context)
    if is_coroutine_function(tool.execute):
        return settle(tool.execute(*given))
    return in_thread(lambda: tool.execute(*given))


def in_thread(call: Callable[[], Any]) -> Any:
    """What `call` gives, made in a thread of its own."""
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append((True, call()))
        except BaseException as error:  # noqa: BLE001  # carried over to the main thread
            outcome.append((False, error))

    thread = threading.Thread(target=work, name="execute")
    thread.start()
    thread.join()
    good, value = outcome[0]
    if good:
        return value
    raise value
