"""The SQLite file under the embedded registry: opening, schema, transactions, and its errors in words.

In: a path. Out: a connection whose commits survive a kill and a power cut (WAL, `synchronous=FULL`). Knows nothing of
versions or deployments beyond their tables; never repairs a file.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager

from lua_cli.errors import LuaError, UnavailableError

TYPE_CHECKING = False  # what type checkers take for true; `typing` and `pathlib` would double the time to look
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUSY_SECONDS = 20.0
APPLICATION = 0x6C756172  # "luar": tells our files from other programs' databases

# One script for each schema version; `user_version` counts those that ran. A script, once released, never changes.
# `facts` is large and stands last, so that listing versions does not read it; `said` is its digest.
# Rows are immutable but for `yanked`, and triggers hold that against every writer, older and newer releases included.
MIGRATIONS = (
    """
    CREATE TABLE skills (
        id      TEXT NOT NULL PRIMARY KEY,
        agent   TEXT NOT NULL,
        name    TEXT NOT NULL,
        created TEXT NOT NULL,
        UNIQUE (agent, name)
    );
    CREATE TABLE blobs (
        digest  TEXT NOT NULL PRIMARY KEY,
        content BLOB NOT NULL CHECK (typeof(content) = 'blob')
    );
    CREATE TABLE versions (
        skill      TEXT NOT NULL REFERENCES skills (id),
        version    TEXT NOT NULL,
        precedence TEXT NOT NULL,
        digest     TEXT NOT NULL REFERENCES blobs (digest),
        size       INTEGER NOT NULL,
        author     TEXT NOT NULL,
        created    TEXT NOT NULL,
        tools      TEXT NOT NULL,
        said       TEXT NOT NULL,
        seal       TEXT NOT NULL,
        yanked     INTEGER NOT NULL DEFAULT 0 CHECK (yanked IN (0, 1)),
        facts      TEXT NOT NULL,
        PRIMARY KEY (skill, version),
        UNIQUE (skill, precedence)
    );
    CREATE TABLE deployments (
        skill    TEXT NOT NULL,
        number   INTEGER NOT NULL CHECK (number > 0),
        version  TEXT NOT NULL,
        previous TEXT,
        key      TEXT NOT NULL,
        author   TEXT NOT NULL,
        created  TEXT NOT NULL,
        seal     TEXT NOT NULL,
        PRIMARY KEY (skill, number),
        UNIQUE (skill, key),
        FOREIGN KEY (skill, version) REFERENCES versions (skill, version)
    );
    CREATE TRIGGER versions_stay BEFORE DELETE ON versions
        BEGIN SELECT RAISE (ABORT, 'versions are never removed'); END;
    CREATE TRIGGER versions_are_immutable
        BEFORE UPDATE OF skill, version, precedence, digest, size, author, created, tools, said, seal, facts ON versions
        BEGIN SELECT RAISE (ABORT, 'versions never change'); END;
    CREATE TRIGGER deployments_stay BEFORE DELETE ON deployments
        BEGIN SELECT RAISE (ABORT, 'the history only grows'); END;
    CREATE TRIGGER deployments_are_immutable BEFORE UPDATE ON deployments
        BEGIN SELECT RAISE (ABORT, 'the history never changes'); END;
    """,
)

_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


class DamageError(Exception):
    """A row or a content that is not what was written."""


def empty_database() -> sqlite3.Connection:
    """A database with today's schema and nothing in it, in memory: what a registry is before its first push."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _migrate(connection)
    return connection


def open_database(path: Path, *, create: bool, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection | None:
    """The database at `path`, with today's schema. None when there is none and `create` is not asked for."""
    with explained(path):
        fresh = not path.exists()
        if fresh and not create:
            return None
        if fresh:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        try:
            _prepare(connection, path, busy_seconds)
            if fresh:
                _sync_folder(path.parent)
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """A write: the lock is taken at once, so that what is read inside is what the write builds on. All of it, or
    nothing.
    """
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Several reads of one moment."""
    with transaction(connection, "BEGIN"):
        yield


def _prepare(connection: sqlite3.Connection, path: Path, busy_seconds: float) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA trusted_schema = OFF")
    with snapshot(connection):  # of one moment: another process may be making the file
        present = schema_of(connection, path)
    if present == len(MIGRATIONS):
        check_structure(connection)
        return
    _write_ahead(connection, busy_seconds)
    with transaction(connection):
        schema_of(connection, path)  # another process may have been faster, or newer
        _migrate(connection)


def check_structure(connection: sqlite3.Connection) -> None:
    """The tables of records agree with their indexes, so that no row is overlooked. Contents are checked when they
    are read.
    """
    for table in ("skills", "versions", "deployments"):
        (found,) = connection.execute(f"PRAGMA integrity_check ({table})").fetchone()
        if found != "ok":
            raise DamageError(found)


def _migrate(connection: sqlite3.Connection) -> None:
    for script in MIGRATIONS[_pragma(connection, "user_version") :]:
        for statement in _statements(script):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def schema_of(connection: sqlite3.Connection, path: Path | str) -> int:
    """The schema version of the file, 0 for a fresh one. A file of another program, or of a release that knows more
    than this one, is refused and left alone.
    """
    version, application = _pragma(connection, "user_version"), _pragma(connection, "application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION and (application or version or tables):
        raise LuaError(
            f"{path} is a database, but not a registry of lua-cli",
            hint="move it away, or set LUA_DATA_DIR to another folder",
        )
    if version > len(MIGRATIONS):
        raise LuaError(
            f"the registry {path} was written by a newer lua-cli (schema {version}, this one knows {len(MIGRATIONS)})",
            hint="upgrade lua-cli, or set LUA_DATA_DIR to another folder",
        )
    return version


def _write_ahead(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Switch to write-ahead logging. SQLite does not wait for locks in this one statement, so this does."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if primary_code(error) not in _LOCKED or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one (`executescript` would commit the transaction around it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _sync_folder(folder: Path) -> None:
    """Make a new file's name survive a power cut. Where folders cannot be opened (Windows), the system does it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's result code without its extension; 0 for errors that Python's module makes itself."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what SQLite and the file system say into one line for the user."""
    try:
        yield
    except (DamageError, UnicodeDecodeError) as damage:  # SQLite quotes a damaged schema in its message, byte by byte
        raise _damaged(path, damage) from damage
    except sqlite3.Error as error:
        raise _in_words(error, path) from error
    except OSError as error:
        raise LuaError(
            f"cannot use the registry {path}: {error.strerror or error}",
            hint="set LUA_DATA_DIR to a folder that you can write to",
        ) from error


def _damaged(path: Path, error: Exception) -> LuaError:
    shown = "".join(character if character.isprintable() else "?" for character in str(error))
    return LuaError(
        f"the registry {path} is damaged: {shown}",
        hint="restore a copy of it; or move it and its -wal file away and push again (docs/registry.md)",
    )


def _in_words(error: sqlite3.Error, path: Path) -> LuaError:
    code = primary_code(error)
    if code in _LOCKED:
        return UnavailableError(
            f"the registry {path} is locked by another process",
            hint="try again when it has finished (a long push, a backup)",
        )
    if code in _DAMAGED or (code == 0 and isinstance(error, sqlite3.OperationalError)):  # 0: a text that is no UTF-8
        return _damaged(path, error)
    if code == sqlite3.SQLITE_FULL:
        return LuaError(
            f"no space left for the registry {path}: nothing was written", hint=f"free some space in {path.parent}"
        )
    if code in _READ_ONLY:
        return LuaError(f"the registry {path} is read-only", hint="set LUA_DATA_DIR to a folder that you can write to")
    if code == sqlite3.SQLITE_CANTOPEN:
        return LuaError(
            f"cannot open the registry {path}",
            hint=f"check the permissions of {path.parent}, or set LUA_DATA_DIR to another folder",
        )
    if code == sqlite3.SQLITE_IOERR:
        return LuaError(
            f"cannot read or write the registry {path}: {error} ({getattr(error, 'sqlite_errorname', 'I/O')})",
            hint=f"check the disk, its quota and the free space in {path.parent}; nothing was written",
        )
    return LuaError(f"the registry {path} cannot be used: {error}", hint="see docs/registry.md")
