"""The words of the protocol that a server of tools needs. In: a message as JSON. Out: what it asks for, or an error's
answer. Speaks the revisions with a handshake (to 2025-11-25) and the stateless one (2026-07-28), whose requests carry
their version themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lua_cli.records import field, record
from lua_cli.runtime.request import InputError, read_input

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
PARSE, REQUEST, METHOD, PARAMS, INTERNAL, VERSION = -32700, -32600, -32601, -32602, -32603, -32022


class ProtocolError(Exception):
    """A request that is answered with an error. `id` is the request's, None where it has none that can be read."""

    def __init__(self, code: int, message: str, id: Any = None, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.id, self.data = code, message, id, data

    def document(self) -> dict[str, Any]:
        """The answer."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": self.id, "error": error}


@record(frozen=True)
class Asked:
    """A request or, without `id`, a notification. `stateless`: it carries its own version."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    id: Any = None
    stateless: bool = False


def read_message(line: str) -> Asked | None:
    """What a line asks for; None for an answer, which nobody waits for. Raises ProtocolError."""
    try:
        message = read_input(line)
    except InputError as error:
        raise ProtocolError(PARSE, error.message.replace("the input", "the line", 1)) from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(REQUEST, "a message is an object with jsonrpc 2.0, one a line")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if isinstance(number, bool) or not isinstance(number, str | int | None):
        raise ProtocolError(REQUEST, "an id is a text or a whole number")
    if not isinstance(method, str):
        raise ProtocolError(REQUEST, "a request has a method", number)
    if not isinstance(params, dict):
        raise ProtocolError(PARAMS, "params is an object", number)
    return Asked(method, params, number, _stateless(params, number))


def _stateless(params: Mapping[str, Any], id: Any) -> bool:
    meta = params.get("_meta")
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    if version is None or id is None:
        return False
    if version not in STATELESS:
        data = {"supported": [*STATELESS, *HANDSHAKE], "requested": version}
        raise ProtocolError(VERSION, f"the protocol version {version!r} is not spoken here", id, data)
    return True


def answer_to(
    asked: Asked, result: Mapping[str, Any], server: Mapping[str, str], *, lasts: bool = False
) -> dict[str, Any]:
    """The answer to a request. `lasts`: a result that a client may keep, for no time at all: gates may open."""
    if asked.stateless:
        meta = {**result.get("_meta", {}), _SERVER_KEY: dict(server)}
        result = {**result, "resultType": "complete", "_meta": meta}
        if lasts:
            result = {**result, "ttlMs": 0, "cacheScope": "private"}
    return {"jsonrpc": "2.0", "id": asked.id, "result": dict(result)}
