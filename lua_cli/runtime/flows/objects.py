"""The object store. In: a file, or memory. Out: values by key. SQLite; opened when it is first used."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

from lua_cli.runtime.flows.message import BlockError

FILE = "objects.db"
_MAX_KEY, _MAX_VALUE = 1024, 10 * 1024**2


class ObjectStore:
    """Values by key, in a file or (None) in memory. Several processes may use one file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def read(self, key: str) -> tuple[bool, Any]:
        """Whether the key is there, and its value."""
        row = self._run("SELECT value FROM objects WHERE key = ?", (_checked(key),))
        return (True, json.loads(row[0])) if row else (False, None)

    def write(self, key: str, value: Any) -> None:
        """Put a value."""
        text = json.dumps(value, sort_keys=True, allow_nan=False)
        if len(text) > _MAX_VALUE:
            raise BlockError(f"the object is larger than {_MAX_VALUE // 1024**2} MiB")
        self._run("INSERT INTO objects VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                  (_checked(key), text))  # fmt: skip

    def delete(self, key: str) -> None:
        """Remove a key, there or not."""
        self._run("DELETE FROM objects WHERE key = ?", (_checked(key),))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _run(self, statement: str, given: tuple[str, ...]) -> Any:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._opened()
                with self._connection:
                    return self._connection.execute(statement, given).fetchone()
            except sqlite3.Error as error:
                raise BlockError(f"the object store cannot be used: {error}") from error
            except UnicodeEncodeError:
                raise BlockError("a key or a value is not UTF-8") from None

    def _opened(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        target = ":memory:" if self._path is None else str(self._path)
        connection = sqlite3.connect(target, timeout=10, check_same_thread=False)
        if self._path is not None:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        return connection


def _checked(key: str) -> str:
    if not key or len(key) > _MAX_KEY:
        raise BlockError(f"a key has 1 to {_MAX_KEY} characters")
    return key
