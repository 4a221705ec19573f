"""What tools keep on the server: end users, and records in collections. In: a `Call` and a transaction. Out: an
`Answer`.

The answers are those of the store in a project (sdk/store.py), refusals in its words included: a search runs its very
query, over a copy of the agent's records in memory, so that SQLite and PostgreSQL answer alike. What one agent may keep
is bounded for it.
"""

from __future__ import annotations

import json
import os
from typing import Any

from sqlalchemy import Connection, text

from lua_cli.sdk.state import StateError
from lua_cli.sdk.store import Store, json_of
from lua_cli.server.bodies import RecordAnswer, RecordsAnswer, RemovedAnswer, UserAnswer
from lua_cli.server.operations import Answer, Call
from lua_cli.server.refusing import RefusedError

MOST_RECORDS = 10_000
MOST_BYTES = 64 * 1024 * 1024
_ONE = "agent = :agent AND collection = :collection AND id = :id"


def get_user(call: Call, tx: Connection) -> Answer:
    """What is known of an end user; nothing of one whom no tool has written about."""
    return Answer(UserAnswer(id=call.path["user"], data=_user(call, tx) or {}))


def update_user(call: Call, tx: Connection) -> Answer:
    """Set keys of an end user's data; the others stay."""
    known = _user(call, tx)
    values = {"agent": call.agent, "id": call.path["user"], "data": _json({**(known or {}), **call.body.changes})}
    if known is None:
        _check_room(call, tx, len(values["data"]))
        tx.execute(text("INSERT INTO end_users (agent, id, data) VALUES (:agent, :id, :data)"), values)
    else:
        tx.execute(text("UPDATE end_users SET data = :data WHERE agent = :agent AND id = :id"), values)
    return Answer(UserAnswer(id=values["id"], data=json.loads(values["data"])))


def create_record(call: Call, tx: Connection) -> Answer:
    """A new record, under an id of its own."""
    content = _json(call.body.data)
    _check_room(call, tx, len(content) + len(call.body.text or ""))
    last = text("SELECT COALESCE(MAX(number), 0) FROM records WHERE agent = :agent")
    number = int(tx.execute(last, {"agent": call.agent}).scalar_one()) + 1
    values = {**_named(call), "id": os.urandom(8).hex(), "number": number, "data": content, "text": call.body.text}
    tx.execute(
        text(
            "INSERT INTO records (agent, number, collection, id, data, text)"
            " VALUES (:agent, :number, :collection, :id, :data, :text)"
        ),
        values,
    )
    return Answer(RecordAnswer(id=values["id"], data=json.loads(content)), 201)


def get_record(call: Call, tx: Connection) -> Answer:
    """A record by its id."""
    return Answer(RecordAnswer(id=call.path["record"], data=_record(call, tx)))


def update_record(call: Call, tx: Connection) -> Answer:
    """Set keys of a record's data; the others stay."""
    content = _json({**_record(call, tx), **call.body.data})
    values = {**_named(call), "data": content, "text": call.body.text}
    tx.execute(text(f"UPDATE records SET data = :data, text = :text WHERE {_ONE}"), values)  # noqa: S608
    return Answer(RecordAnswer(id=call.path["record"], data=json.loads(content)))


def delete_record(call: Call, tx: Connection) -> Answer:
    """Remove a record; whether there was one."""
    removed = tx.execute(text(f"DELETE FROM records WHERE {_ONE}"), _named(call)).rowcount  # noqa: S608
    return Answer(RemovedAnswer(deleted=removed > 0))


def search_records(call: Call, tx: Connection) -> Answer:
    """Records that have words of the text, the best first; without words all of them, the newest first."""
    query = text("SELECT collection, id, data, text FROM records WHERE agent = :agent ORDER BY number")
    store = Store(":memory:")
    try:
        rows = tx.execute(query, {"agent": call.agent})
        store.fill((row.collection, row.id, json.loads(row.data), row.text) for row in rows)
        given = {"collection": call.path["collection"], "text": call.body.text, "limit": call.body.limit}
        found = store.answer("data.search", given)
    except StateError as error:
        raise RefusedError(422, "state", str(error)) from None
    finally:
        store.close()
    return Answer(RecordsAnswer(records=[RecordAnswer(**record) for record in found]))


def _user(call: Call, tx: Connection) -> dict[str, Any] | None:
    query = text(f"SELECT data FROM end_users WHERE agent = :agent AND id = :id{_locking(call)}")  # noqa: S608
    row = tx.execute(query, {"agent": call.agent, "id": call.path["user"]}).first()
    return None if row is None else json.loads(row.data)


def _record(call: Call, tx: Connection) -> dict[str, Any]:
    query = text(f"SELECT data FROM records WHERE {_ONE}{_locking(call)}")  # noqa: S608
    row = tx.execute(query, _named(call)).first()
    if row is None:
        name, collection = call.path["record"], call.path["collection"]
        raise RefusedError(404, "no-record", f"there is no record {name!r} in {collection!r}")
    found: dict[str, Any] = json.loads(row.data)
    return found


def _locking(call: Call) -> str:
    """Holds a row that is about to be written; a snapshot that only reads may not lock."""
    return call.state.database.locking if call.body is not None else ""


def _named(call: Call) -> dict[str, Any]:
    return {"agent": call.agent, "collection": call.path["collection"], "id": call.path.get("record", "")}


def _json(data: dict[str, Any]) -> str:
    try:
        return json_of(data)
    except StateError as error:
        raise RefusedError(422, "state", str(error)) from None


def _check_room(call: Call, tx: Connection, more: int) -> None:
    """Refuses what would be too much for one agent: a search goes over all of it."""
    if call.state.database.locking:  # writers of one agent go one after another, so that numbers and sums are right
        tx.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:agent, 1))"), {"agent": call.agent})
    query = text(
        "SELECT COUNT(*), COALESCE(SUM(LENGTH(data) + COALESCE(LENGTH(text), 0)), 0) FROM records WHERE agent = :agent"
    )
    count, size = tx.execute(query, {"agent": call.agent}).one()
    if count >= MOST_RECORDS or size + more > MOST_BYTES:
        most = f"{MOST_RECORDS} records and {MOST_BYTES // 2**20} MiB"
        raise RefusedError(422, "state-full", f"the agent {call.agent} has kept all that it may: {most}")
