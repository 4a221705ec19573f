"""The store behind `Data`: SQLite with full-text search. In: questions by name. Out: JSON values.

One file holds all collections; several threads and processes may use it at once. Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lua_cli.sdk.state import StateError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
    number INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL,
    UNIQUE (collection, id)
);
CREATE VIRTUAL TABLE IF NOT EXISTS record_text USING fts5(text, tokenize = "unicode61 remove_diacritics 2");
"""
_WAIT = 10.0
_MOST = 1000
_LARGEST = 1024 * 1024
_WORD = re.compile(r"\w+")


class Store:
    """Records in a file, or ":memory:". Raises sqlite3.Error where the file cannot be used."""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
        if path != ":memory:":
            self._database.execute("PRAGMA journal_mode = WAL")
        self._database.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def fill(self, records: Iterable[tuple[str, str, Mapping[str, Any], str | None]]) -> None:
        """Take in records (collection, id, data, the text to search) that are kept elsewhere, oldest first."""
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            for collection, name, data, text in records:
                row = self._database.execute(
                    "INSERT INTO record (collection, id, data) VALUES (?, ?, ?)", (collection, name, json_of(data))
                )
                _index(self._database, int(row.lastrowid or 0), {"data": data, "text": text})
            self._database.execute("COMMIT")

    def answer(self, question: str, given: Mapping[str, Any]) -> Any:
        """Answer one question ("data.create" …). Raises StateError."""
        kind = question.removeprefix("data.")
        work = {"create": _create, "get": _get, "update": _update, "delete": _delete, "search": _search}.get(kind)
        if work is None:
            raise StateError(f"there is no question {question!r}")
        if not isinstance(given.get("collection"), str) or not given["collection"]:
            raise StateError("a collection goes by a name")
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE" if kind in ("create", "update", "delete") else "BEGIN")
            try:
                return work(self._database, given)
            finally:
                self._database.execute("COMMIT" if self._database.in_transaction else "SELECT 1")


def _create(database: sqlite3.Connection, given: Mapping[str, Any]) -> dict[str, Any]:
    text, name = json_of(given["data"]), os.urandom(8).hex()
    row = database.execute(
        "INSERT INTO record (collection, id, data) VALUES (?, ?, ?)", (given["collection"], name, text)
    )
    _index(database, int(row.lastrowid or 0), given)
    return {"id": name, "data": json.loads(text)}


def _get(database: sqlite3.Connection, given: Mapping[str, Any]) -> dict[str, Any] | None:
    found = _found(database, given)
    return None if found is None else {"id": given["id"], "data": json.loads(found[1])}


def _update(database: sqlite3.Connection, given: Mapping[str, Any]) -> dict[str, Any]:
    found = _found(database, given)
    if found is None:
        raise StateError(f"there is no record {given['id']!r} in {given['collection']!r}")
    text = json_of({**json.loads(found[1]), **given["data"]})
    database.execute("UPDATE record SET data = ? WHERE number = ?", (text, found[0]))
    database.execute("DELETE FROM record_text WHERE rowid = ?", (found[0],))
    _index(database, found[0], {**given, "data": json.loads(text)})
    return {"id": given["id"], "data": json.loads(text)}


def _delete(database: sqlite3.Connection, given: Mapping[str, Any]) -> bool:
    found = _found(database, given)
    if found is None:
        return False
    database.execute("DELETE FROM record WHERE number = ?", (found[0],))
    database.execute("DELETE FROM record_text WHERE rowid = ?", (found[0],))
    return True


def _search(database: sqlite3.Connection, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    limit = given.get("limit", 10)
    if type(limit) is not int or not 0 < limit <= _MOST:
        raise StateError(f"limit is a whole number from 1 to {_MOST}")
    words = _WORD.findall(str(given.get("text") or ""))
    if not words:
        rows = database.execute(
            "SELECT id, data FROM record WHERE collection = ? ORDER BY number DESC LIMIT ?",
            (given["collection"], limit),
        )
        return [{"id": name, "data": json.loads(data)} for name, data in rows]
    asked = " OR ".join(f'"{word}"*' for word in words)  # a quoted word has no meaning of its own in the query language
    rows = database.execute(
        "SELECT record.id, record.data, -bm25(record_text) FROM record_text JOIN record ON number = record_text.rowid "
        "WHERE record_text MATCH ? AND collection = ? ORDER BY bm25(record_text), number DESC LIMIT ?",
        (asked, given["collection"], limit),
    )
    return [{"id": name, "data": json.loads(data), "score": score} for name, data, score in rows]


def _found(database: sqlite3.Connection, given: Mapping[str, Any]) -> tuple[int, str] | None:
    row = database.execute(
        "SELECT number, data FROM record WHERE collection = ? AND id = ?", (given["collection"], str(given["id"]))
    ).fetchone()
    return None if row is None else (int(row[0]), str(row[1]))


def _index(database: sqlite3.Connection, number: int, given: Mapping[str, Any]) -> None:
    text = given.get("text")
    words = text if isinstance(text, str) else "\n".join(_texts(given["data"]))
    database.execute("INSERT INTO record_text (rowid, text) VALUES (?, ?)", (number, words))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def json_of(data: Any) -> str:
    """A record's data as it is kept. Raises StateError for what is no JSON object, or too large."""
    if not isinstance(data, Mapping):
        raise StateError("a record is a dict")
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise StateError(f"the record is not JSON: {error}") from None
    if len(text) > _LARGEST:
        raise StateError(f"the record is larger than {_LARGEST // 1024} KiB")
    return text
