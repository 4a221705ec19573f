"""Keys of the server: made, listed, revoked, and recognised in a request. In: a database. Out: `KeyRecord`s.

A key is 256 random bits. It is shown once, when it is made; the database holds its SHA-256, which nobody turns back.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, text

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.records import record
from lua_cli.registry.protocol import checked_name
from lua_cli.registry.rows import now

SCOPES = ("read", "push", "deploy", "data")
PREFIX = "lua_"


@record(frozen=True)
class KeyRecord:
    """A key without its secret. No `agents`: it is for every agent. `hint` is its beginning, for people who search."""

    id: str
    name: str
    hint: str
    agents: tuple[str, ...]
    scopes: tuple[str, ...]
    created: str
    revoked: str | None = None

    def may_use(self, agent: str) -> bool:
        return not self.agents or agent in self.agents


def create_key(tx: Connection, name: str, agents: Sequence[str], scopes: Sequence[str]) -> tuple[KeyRecord, str]:
    """A new key and its secret. Without scopes it has all of them."""
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown:
        raise UsageError(f"unknown scope {unknown[0]!r}", hint="one of " + ", ".join(SCOPES))
    secret = PREFIX + secrets.token_urlsafe(32)
    key_id = secrets.token_hex(4)
    record = KeyRecord(
        id=key_id,
        name=checked_name("a key", name) if name else key_id,
        hint=secret[: len(PREFIX) + 4],
        agents=tuple(sorted({checked_name("an agent", agent) for agent in agents})),
        scopes=tuple(scope for scope in SCOPES if scope in scopes or not scopes),
        created=now(),
    )
    tx.execute(
        text(
            "INSERT INTO keys (id, name, hash, hint, scopes, created)"
            " VALUES (:id, :name, :hash, :hint, :scopes, :created)"
        ),
        {
            "id": record.id,
            "name": record.name,
            "hash": _hash(secret),
            "hint": record.hint,
            "scopes": " ".join(record.scopes),
            "created": record.created,
        },
    )
    for agent in record.agents:
        tx.execute(text("INSERT INTO key_agents (key, agent) VALUES (:k, :a)"), {"k": record.id, "a": agent})
    return record, secret


def list_keys(tx: Connection) -> tuple[KeyRecord, ...]:
    """All keys, oldest first, revoked ones included."""
    return _records(tx, "", {})


def revoke_key(tx: Connection, key_id: str) -> KeyRecord:
    """Withdraw a key, by id; from the next request on it opens nothing. A revoked one stays so."""
    update = text("UPDATE keys SET revoked = :now WHERE id = :id AND revoked IS NULL")
    tx.execute(update, {"now": now(), "id": key_id})
    found = _records(tx, "WHERE id = :id", {"id": key_id})
    if not found:
        raise NotFoundError(f"there is no key {key_id[:40]!r}", hint="`lua serve keys list` has the ids")
    return found[0]


def find_key(tx: Connection, secret: str) -> KeyRecord | None:
    """The key that a request shows; None for one that is unknown or revoked."""
    found = _records(tx, "WHERE hash = :hash AND revoked IS NULL", {"hash": _hash(secret)})
    return found[0] if found else None


def _records(tx: Connection, where: str, values: dict[str, Any]) -> tuple[KeyRecord, ...]:
    query = f"SELECT id, name, hint, scopes, created, revoked FROM keys {where} ORDER BY created, id"  # noqa: S608
    rows = tx.execute(text(query), values).all()
    named = text("SELECT agent FROM key_agents WHERE key = :id ORDER BY agent")
    return tuple(
        KeyRecord(
            row.id,
            row.name,
            row.hint,
            tuple(found.agent for found in tx.execute(named, {"id": row.id})),
            tuple(row.scopes.split()),
            row.created,
            row.revoked,
        )
        for row in rows
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
