"""Conversations that are kept: threads, in SQLite beside the build. In: a name. Out: messages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError, UsageError

if TYPE_CHECKING:
    import sqlite3

    from lua_cli.runtime.turns import Message

_SCHEMA = """CREATE TABLE IF NOT EXISTS thread (
    name TEXT PRIMARY KEY, agent TEXT NOT NULL, messages TEXT NOT NULL, written TEXT NOT NULL
)"""


class Threads:
    """The threads of a project. Raises LuaError when the file cannot be used."""

    def __init__(self, output: Path) -> None:
        self._path = output / "chat.db"

    def read(self, name: str, agent: str) -> tuple[Message, ...]:
        """The messages of a thread; none for a new one. Raises UsageError for a thread with another agent."""
        from lua_cli.runtime.models.scripted import message_of

        rows = self._do("SELECT agent, messages FROM thread WHERE name = ?", (name,))
        if not rows:
            return ()
        if rows[0][0] != agent:
            raise UsageError(f"the thread {name!r} is one with {rows[0][0]}", hint=f"--agent {rows[0][0]}")
        return tuple(message_of(document) for document in json.loads(rows[0][1]))

    def has(self, name: str) -> bool:
        """Whether there is a thread of that name."""
        return bool(self._do("SELECT 1 FROM thread WHERE name = ?", (name,)))

    def write(self, name: str, agent: str, messages: Iterable[Message]) -> None:
        """Keep the messages under that name."""
        from datetime import UTC, datetime

        from lua_cli.runtime.models.scripted import message_document

        text = json.dumps([message_document(message) for message in messages])
        when = datetime.now(UTC).isoformat(timespec="seconds")
        self._do("INSERT OR REPLACE INTO thread VALUES (?, ?, ?, ?)", (name, agent, text, when))

    def _do(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        import sqlite3

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            database: sqlite3.Connection = sqlite3.connect(self._path, timeout=10, isolation_level=None)
            try:
                database.execute(_SCHEMA)
                return database.execute(statement, values).fetchall()
            finally:
                database.close()
        except sqlite3.Error as error:
            raise LuaError(f"{self._path} cannot be used: {error}", hint="move it away to begin anew") from error
