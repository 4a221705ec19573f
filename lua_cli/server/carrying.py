"""Carries out one operation: who asks, whether they may, the transaction, and the first answer of a repeated request.

In: a `Call`. Out: a `Reply`. Blocking: for a thread of its own.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, text

from lua_cli.records import field, record, replace
from lua_cli.registry.rows import now
from lua_cli.server.keys import KeyRecord, find_key
from lua_cli.server.operations import Answer, Call, Operation
from lua_cli.server.refusing import RefusedError
from lua_cli.server.state import ServerState

REPEAT_HEADER = "x-idempotency-key"
_REMEMBERED = timedelta(days=1)


@record(frozen=True)
class Reply:
    """An answer, ready to be sent."""

    status: int
    body: bytes = field(repr=False)
    media: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


def authorise(state: ServerState, operation: Operation, header: str, path: dict[str, str]) -> KeyRecord | None:
    """The key of a request. Raises RefusedError when there is none that may do this for this agent."""
    if not operation.scope:
        return None
    kind, _, secret = header.partition(" ")
    if not secret.strip() or kind.lower() != "bearer":
        raise RefusedError(401, "unauthorised", "a key is needed", hint="Authorization: Bearer KEY")
    with state.database.reading() as tx:
        key = find_key(tx, secret.strip())
    if key is None:
        raise RefusedError(401, "unauthorised", "the key is unknown or was revoked")
    agent = path.get("agent")
    if agent is not None and not key.may_use(agent):
        raise RefusedError(403, "forbidden", f"the key is not for {agent[:200]}")
    # Who changes something has to see what is there.
    sees = operation.scope == "read" and {"push", "deploy"} & set(key.scopes)
    if operation.scope not in key.scopes and not sees:
        raise RefusedError(403, "scope", f"the key has not the scope {operation.scope}")
    return key


def carry_out(operation: Operation, call: Call) -> Reply:
    """Do it, once for each idempotency key."""
    if operation.prepare is not None:
        call = replace(call, prepared=operation.prepare(call))
    if not operation.writes:
        with call.state.database.reading() as tx:
            return _reply(operation, operation.run(call, tx))
    call.state.make_room(0)
    repeat = _repeat(operation, call)
    return call.state.database.write(lambda tx: _once(operation, call, tx, repeat))


def forget_answers(state: ServerState) -> None:
    """Drop first answers that nobody will ask for again."""
    before = (datetime.now(UTC) - _REMEMBERED).strftime("%Y-%m-%dT%H:%M:%SZ")
    query = text("DELETE FROM answers WHERE created < :before")
    state.database.write(lambda tx: tx.execute(query, {"before": before}))


def _repeat(operation: Operation, call: Call) -> dict[str, str] | None:
    """What tells a repetition: key, idempotency key and address; and a digest over the body, which has to be equal."""
    asked = call.headers.get(REPEAT_HEADER, "")
    if not asked or call.key is None:
        return None
    if len(asked) > 200 or not asked.isprintable():
        raise RefusedError(400, "idempotency-key-invalid", "X-Idempotency-Key has at most 200 printable characters")
    address = json.dumps([operation.method, operation.path, sorted(call.path.items())])
    said = call.body.model_dump_json() if isinstance(call.body, BaseModel) else ""
    return {
        "key": call.key.id,
        "repeat": hashlib.sha256(f"{asked}\n{address}".encode("utf-8", "surrogatepass")).hexdigest(),
        "request": hashlib.sha256(said.encode()).hexdigest(),
    }


def _once(operation: Operation, call: Call, tx: Connection, repeat: dict[str, str] | None) -> Reply:
    if repeat is None:
        return _reply(operation, operation.run(call, tx))
    query = text("SELECT request, status, body FROM answers WHERE key = :key AND repeat = :repeat")
    first = tx.execute(query, {"key": repeat["key"], "repeat": repeat["repeat"]}).one_or_none()
    if first is not None:
        if first.request != repeat["request"]:
            raise RefusedError(422, "idempotency-key-reused", "the idempotency key was used for something else")
        return Reply(first.status, first.body.encode())
    reply = _reply(operation, operation.run(call, tx))
    insert = text(
        "INSERT INTO answers (key, repeat, request, status, body, created)"
        " VALUES (:key, :repeat, :request, :status, :body, :created)"
    )
    tx.execute(insert, {**repeat, "status": reply.status, "body": reply.body.decode(), "created": now()})
    return reply


def _reply(operation: Operation, answer: Answer) -> Reply:
    if isinstance(answer.data, bytes):
        return Reply(answer.status, answer.data, operation.media, dict(answer.headers))
    return Reply(answer.status, envelope(answer.data), headers=dict(answer.headers))


def envelope(data: BaseModel | list[Any] | dict[str, Any]) -> bytes:
    value = data.model_dump(by_alias=True, mode="json") if isinstance(data, BaseModel) else data
    return json.dumps({"success": True, "data": value}, separators=(",", ":")).encode()
