"""Answers for `User` and `Data` in a child: they come from the process that started it. In: a question. Out: a JSON
value, over a frame Q and the answers' pipe. One question at a time, from any thread.
"""

from __future__ import annotations

import json
from _thread import allocate_lock
from collections.abc import Mapping
from typing import Any

from lua_cli.child import confine
from lua_cli.child.encode import NotJsonError, encode
from lua_cli.child.wire import Channel, read_request

_decode = json.JSONDecoder().decode  # held from here on: the tool may replace json's functions
_LARGEST = 1024 * 1024


def connect_state(descriptor: int | None, channel: Channel) -> None:
    """From here on the SDK's `User` and `Data` ask over this channel; None leaves them with memory."""
    from lua_cli.sdk import state

    if descriptor is None:
        return
    answers = confine.safe_descriptor(descriptor)
    lock = allocate_lock()

    def ask(question: str, given: Mapping[str, Any]) -> Any:
        try:
            body = encode({"question": question, "given": given}, limit=_LARGEST)
        except NotJsonError as error:
            where = error.path.removeprefix("/given") or "/"
            raise state.StateError(f"what is kept must be JSON: {where} {error.what}") from None
        with lock:
            channel.send("Q", body.encode("ascii"))
            answer = _decode(read_request(answers).decode("ascii"))
        if "error" in answer:
            raise state.StateError(answer["error"])
        return answer["value"]

    state.connect(ask)
