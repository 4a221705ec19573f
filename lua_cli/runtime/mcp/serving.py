"""Serves skills to a client of the Model Context Protocol. In: lines of a client, a conversation. Out: lines.

Requests are answered one after another, in the order in which they came; pings and cancellations at once. What a tool
gets wrong is a result for the model (isError), what a client gets wrong an error of the protocol.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from lua_cli._version import __version__
from lua_cli.errors import LuaError
from lua_cli.runtime.mcp.protocol import (
    HANDSHAKE,
    INTERNAL,
    METHOD,
    PARAMS,
    STATELESS,
    Asked,
    ProtocolError,
    answer_to,
    read_message,
)
from lua_cli.runtime.turns.calling import Caller, content_of
from lua_cli.runtime.turns.model import LOAD_SKILL, Offer, ToolCall
from lua_cli.runtime.turns.prompt import tool_specs


class Offering(Protocol):
    """What the server needs of a conversation."""

    def offer(self) -> Offer: ...
    def stop(self) -> None: ...


_SERVER = {"name": "lua-cli", "title": "lua-cli", "version": __version__}
_CAPABILITIES = {"tools": {"listChanged": False}}


class McpServer:
    """The server of what conversations offer. `about` is said of it; `write` gets each line that goes out, `log` what
    tools print.
    """

    def __init__(
        self, talks: Sequence[Offering], about: str, write: Callable[[str], None], log: Callable[[str], None]
    ) -> None:
        self._talks, self._instructions, self._write, self._log = talks, about, write, log
        self._offer: Offer | None = None
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
        self._running: Any = None
        self._cancelled: set[Any] = set()

    def serve(self, lines: Iterable[str]) -> None:
        """Serve until the lines end."""
        reader = threading.Thread(target=self._read, args=(lines,), name="mcp-reader", daemon=True)
        reader.start()
        while (asked := self._waiting.get()) is not None:
            self._answer(asked)

    def _read(self, lines: Iterable[str]) -> None:
        try:
            self._take(lines)
        finally:
            self._waiting.put(None)

    def _take(self, lines: Iterable[str]) -> None:
        for line in lines:
            if not line.strip():
                continue
            try:
                asked = read_message(line)
            except ProtocolError as error:
                self._send(error.document())
                continue
            if asked is None:
                continue
            if asked.method == "ping" and asked.id is not None:
                self._send(answer_to(asked, {}, _SERVER))
            elif asked.method == "notifications/cancelled":
                self._cancel(asked.params.get("requestId"))
            elif asked.id is not None:
                self._waiting.put(asked)

    def _cancel(self, id: Any) -> None:
        if not isinstance(id, str | int):
            return  # nothing that a request could have
        with self._lock:
            self._cancelled.add(id)
            if self._running is not None and self._running == id:
                for talk in self._talks:
                    talk.stop()

    def _answer(self, asked: Asked) -> None:
        with self._lock:
            if asked.id in self._cancelled:
                return  # nobody waits for it
            self._running = asked.id
        try:
            answer = self._result(asked)
        except ProtocolError as error:
            answer = ProtocolError(error.code, error.message, asked.id).document()
        except LuaError as error:
            said = f"{error.message}: {error.hint}" if error.hint else error.message
            answer = ProtocolError(INTERNAL, said, asked.id).document()
        with self._lock:
            self._running = None
            if asked.id in self._cancelled:
                return
        self._send(answer)

    def _result(self, asked: Asked) -> dict[str, Any]:
        if asked.method == "initialize" and not asked.stateless:
            wanted = asked.params.get("protocolVersion")
            version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
            return answer_to(asked, {"protocolVersion": version, **self._about(), "serverInfo": _SERVER}, _SERVER)
        if asked.method == "server/discover":
            versions = {"supportedVersions": [*STATELESS, *HANDSHAKE]}
            return answer_to(asked, {**versions, **self._about()}, _SERVER, lasts=True)
        if asked.method == "tools/list":
            return answer_to(asked, {"tools": self._tools()}, _SERVER, lasts=True)
        if asked.method == "tools/call":
            return answer_to(asked, self._call(asked), _SERVER)
        raise ProtocolError(METHOD, f"there is no method {asked.method}")

    def _about(self) -> dict[str, Any]:
        about = self._instructions
        return {"capabilities": _CAPABILITIES, **({"instructions": about} if about else {})}

    def _offered(self) -> Offer:
        """What is offered now, of all: conditions are asked."""
        offers = [talk.offer() for talk in self._talks]
        tools = {tool.spec.name: tool for offer in reversed(offers) for tool in reversed(offer.tools)}
        documents = {document.name: document for offer in offers for document in offer.documents}
        return Offer("", tuple(reversed(tools.values())), tuple(documents.values()))

    def _tools(self) -> list[dict[str, Any]]:
        self._offer = self._offered()
        tools = []
        for spec in tool_specs(self._offer):
            described = spec.description
            if spec.name == LOAD_SKILL:
                about = (f"{document.name}: {document.description}" for document in self._offer.documents)
                described = "\n".join([described, *about])
            tools.append({"name": spec.name, "description": described, "inputSchema": dict(spec.input_schema)})
        return tools

    def _call(self, asked: Asked) -> dict[str, Any]:
        name, arguments = asked.params.get("name"), asked.params.get("arguments", {})
        if not isinstance(name, str):
            raise ProtocolError(PARAMS, "tools/call needs the name of a tool")
        if self._offer is None:
            self._offer = self._offered()
        if name not in {spec.name for spec in tool_specs(self._offer)}:
            raise ProtocolError(PARAMS, f"there is no tool {name!r}, or it is left out now")
        result = Caller(self._offer).call(ToolCall(str(asked.id), name, arguments))
        if result.logs:
            self._log(result.logs)
        answer: dict[str, Any] = {"content": [{"type": "text", "text": content_of(result)}]}
        if result.error is None and isinstance(result.output, dict):
            answer["structuredContent"] = result.output
        return {**answer, "isError": result.error is not None}

    def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            self._write(text + "\n")
