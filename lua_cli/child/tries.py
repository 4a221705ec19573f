"""Many calls of one tool, for `lua fuzz`. In: the request of run.py with "inputs" and "each" (seconds). Out: a frame
R for each input: {"number", …run.py's answer}, or none when that call crashed or hung; a frame X says how each one
ended.

The tool's module is imported once; each call happens in a fork of its own, so that none sees what another left
behind.
"""

from __future__ import annotations

import inspect
import json
import os
from typing import Any

from lua_cli.child import confine
from lua_cli.child.encode import encode
from lua_cli.child.failure import Frames
from lua_cli.child.forks import in_fork
from lua_cli.child.load import RefusedError, build
from lua_cli.child.run import ANSWER_BYTES, answer
from lua_cli.child.watch import watch
from lua_cli.child.wire import Channel


def tries(order: dict[str, Any], channel: Channel) -> None:
    """Make every call, and end the process."""
    channel.move(confine.safe_descriptor)
    confine.detach_stdin()
    confine.plain_streams()
    confine.hide(order["hidden"])
    confine.import_from(order["artifact"])
    channel.send("B", b"{}")
    confine.limit(order["limits"])
    frames = Frames(order["artifact"])
    _warm_up(order, frames)
    for number, text in enumerate(order["inputs"]):
        code = in_fork(lambda n=number, t=text: _one(n, t, order, channel.taken_over(), frames), order["each"])  # type: ignore[misc]
        channel.send("X", json.dumps({"number": number, "status": code}).encode("ascii"))
    os._exit(0)


def _warm_up(order: dict[str, Any], frames: Frames) -> None:
    """Import what every call needs; what goes wrong here goes wrong in each call too, and is told there."""
    try:
        tool = build(order["module"], order["qualname"], frames)
    except RefusedError:
        return
    if inspect.iscoroutinefunction(tool.execute):
        import asyncio  # noqa: F401


def _one(number: int, text: str, order: dict[str, Any], channel: Channel, frames: Frames) -> None:
    watch(order["each"], channel, frames, order["trace"], ends=str(number))
    found = answer({**order, "input": text}, frames)
    channel.send("R", encode({**found, "number": number}, limit=ANSWER_BYTES).encode("ascii"))
