"""A skill in a conversation: its tools are called again and again, its conditions asked before each turn. In: the
request {"artifact", "hidden", "tools": {name: [module, qualname]}, "condition": [module, attribute] or null, …}, then
commands on a pipe. Out: frames, each with the number of its command; the process lives until it is not wanted.

    {"do": "call", "number", "tool", "input", "timeout", "voice"}
                                                             → V {"text"} for what it says on a voice session (whose
                                                               call has the id `voice`; null elsewhere),
                                                               R {"number", …run.py's answer}, or T at its time limit
    {"do": "ask", "number", "which": [name], "budget"}       → B when all are found and their time begins,
                                                               C {"number", "name", "open", "reason", "ms"} for each,
                                                               then R {"number", "hung": [name]}

Where HTTP is played or recorded ("http" in the request), H {"recorded", "unmatched"} goes before each R.

A tool is built when it is needed first, and stays. "" asks for the skill's own condition. With `hung` the event loop is
lost: this process is of no use any more.
"""

from __future__ import annotations

import faulthandler
import json
import os
from collections.abc import Callable
from typing import Any, TextIO

from lua_cli.child import confine
from lua_cli.child.asking import connect_state
from lua_cli.child.conditions import Conditions
from lua_cli.child.encode import encode
from lua_cli.child.failure import Frames
from lua_cli.child.load import build, load_class
from lua_cli.child.loops import LoopThread
from lua_cli.child.run import ANSWER_BYTES, NO_CHANNEL, called, flush_streams, play_http
from lua_cli.child.watch import alarm
from lua_cli.child.wire import Channel, read_request

_exit = os._exit
_decode = json.JSONDecoder().decode


def converse(order: dict[str, Any], channel: Channel) -> None:
    """Serve the skill, and end the process."""
    channel.move(confine.safe_descriptor)
    confine.detach_stdin()
    confine.plain_streams()
    commands = confine.safe_descriptor(order["commands"])
    frames = Frames(order["artifact"])
    confine.hide(order["hidden"])
    confine.import_from(order["artifact"])
    trace = open(order["trace"], "w", encoding="utf-8")  # noqa: SIM115, PTH123  # stays open for the life of the process
    faulthandler.enable(trace, all_threads=True)
    confine.limit(order["limits"])
    connect_state(order["answers"], channel)
    channel.send("B", b"{}")
    skill = _Skill(order, channel, frames, trace)
    try:
        while True:
            skill.do(_decode(read_request(commands).decode("ascii")))
    except EOFError:
        _exit(0)
    except OSError:
        _exit(NO_CHANNEL)


class _Skill:
    """The instances of a conversation."""

    def __init__(self, order: dict[str, Any], channel: Channel, frames: Frames, trace: TextIO) -> None:
        self._order, self._channel, self._frames, self._trace = order, channel, frames, trace
        self._tools: dict[str, Any] = {}
        self._loop = LoopThread()
        self._conditions = Conditions(self._loop, frames)
        self._exchanges = play_http(order.get("http"))

    def do(self, command: dict[str, Any]) -> None:
        confine.more_time(self._order["limits"]["cpu"])
        if command["do"] == "call":
            self._call(command)
        else:
            self._ask(command)

    def _call(self, command: dict[str, Any]) -> None:
        quiet = alarm(command["timeout"], self._channel, self._frames, self._trace)
        session = self._session(command["voice"])
        found = called(
            lambda: self._tool(command["tool"]), command["input"], self._frames, self._loop.settle, session
        )  # fmt: skip
        if session is not None:
            session.voice.end()
        quiet()
        flush_streams()
        self._tell_http()
        self._send("R", {**found, "number": command["number"]})

    def _session(self, call: str | None) -> Any:
        """The voice session, for a call that has an id on one."""
        if call is None:
            return None
        from lua_cli.sdk.tool import ToolContext, VoiceSession

        return ToolContext(call, VoiceSession(lambda text: self._send("V", {"text": text})))

    def _ask(self, command: dict[str, Any]) -> None:
        number = command["number"]

        def say(name: str, said: dict[str, Any]) -> None:
            self._send("C", {"number": number, "name": name, **said})

        asked = self._conditions.find({name: self._condition(name) for name in command["which"]}, say)
        self._send("B", {"number": number})
        hung = self._conditions.ask(asked, command["budget"], say)
        flush_streams()
        self._tell_http()
        self._send("R", {"number": number, "hung": hung})

    def _tell_http(self) -> None:
        """What was exchanged since it was told last, in a conversation that plays or records HTTP."""
        if self._exchanges is not None:
            self._channel.send("H", self._exchanges.heard(ANSWER_BYTES).encode("ascii"))
            self._exchanges.recorded.clear()
            self._exchanges.unmatched.clear()

    def _condition(self, name: str) -> Callable[[], Any]:
        """Finds the function to ask; what goes wrong on the way to it is the condition's own failure."""
        if name:
            return lambda: self._tool(name).condition
        module, attribute = self._order["condition"]
        return lambda: load_class(module, attribute, self._frames)

    def _tool(self, name: str) -> Any:
        if name not in self._tools:
            module, qualname = self._order["tools"][name]
            self._tools[name] = build(module, qualname, self._frames)
        return self._tools[name]

    def _send(self, letter: str, body: dict[str, Any]) -> None:
        self._channel.send(letter, encode(body, limit=ANSWER_BYTES).encode("ascii"))
