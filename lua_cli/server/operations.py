"""What an operation of the API is, and how a request finds its own. In: a method and a raw path. Out: an `Operation`
and the path's parts.

Paths are split before they are unquoted, so that a name may hold a slash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel
from sqlalchemy import Connection

from lua_cli.records import field, record
from lua_cli.server.keys import KeyRecord
from lua_cli.server.state import ServerState

LONGEST_SEGMENT = 600


@record(frozen=True)
class Answer:
    """What an operation gives: a model, or raw bytes."""

    data: BaseModel | bytes | list[Any] | dict[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@record(frozen=True)
class Call:
    """A request that was let in. `body` is of the operation's model, or the bytes of an upload; `prepared` is what
    `Operation.prepare` gave.
    """

    state: ServerState
    key: KeyRecord | None
    path: Mapping[str, str]
    headers: Mapping[str, str]
    base: str
    body: Any = None
    prepared: Any = None

    @property
    def agent(self) -> str:
        return self.path["agent"]

    @property
    def author(self) -> str:
        return self.key.name if self.key else ""


@record(frozen=True)
class Operation:
    """One call of the API.

    scope    what a key needs; "" for calls that need no key
    body     the model of the request's JSON; None for none, or `raw` bytes
    answer   the model of `data`; None for bytes or free JSON
    writes   inside of one transaction that is committed before the answer; else inside of a snapshot
    whole    an absent body is no empty one: the call replaces all that there is
    prepare  what is done before that transaction: reading and checking large contents
    admit    what is checked before the body is read, where no key is needed
    looks    a POST that changes nothing: its body is a question
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    scope: str
    summary: str
    run: Callable[[Call, Connection], Answer]
    body: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    raw: bool = False
    whole: bool = False
    statuses: tuple[int, ...] = (200,)
    prepare: Callable[[Call], Any] | None = None
    admit: Callable[[Call], Any] | None = None
    media: str = "application/json"
    looks: bool = False

    @property
    def writes(self) -> bool:
        return self.raw or (self.scope in ("push", "deploy", "data") and self.method != "GET" and not self.looks)

    @property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.path.strip("/").split("/"))


class Routes:
    """The operations, by path."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = tuple(operations)

    def find(self, method: str, raw_path: bytes) -> tuple[Operation | None, dict[str, str], tuple[str, ...]]:
        """The operation and the path's parts; without one, the methods that the path does have."""
        segments = _segments(raw_path)
        if segments is None:
            return None, {}, ()
        others = []
        for operation in self.operations:
            parts = _matched(operation.segments, segments)
            if parts is None:
                continue
            if operation.method == method:
                return operation, parts, ()
            others.append(operation.method)
        return None, {}, tuple(dict.fromkeys(others))


def _segments(raw_path: bytes) -> list[str] | None:
    segments = []
    for part in raw_path.partition(b"?")[0].strip(b"/").split(b"/"):
        try:
            text = unquote_to_bytes(part).decode("utf-8")
        except UnicodeDecodeError:
            return None
        if not text or not text.isprintable() or len(text) > LONGEST_SEGMENT:
            return None
        segments.append(text)
    return segments


def _matched(pattern: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    if len(pattern) != len(segments):
        return None
    parts = {}
    for expected, found in zip(pattern, segments, strict=True):
        if expected.startswith("{"):
            parts[expected.strip("{}")] = found
        elif expected != found:
            return None
    return parts
