"""The server's database: opening, transactions, and its errors in words. SQLite and PostgreSQL through SQLAlchemy.

In: a URL. Out: `reading` (one moment) and `write` (all or nothing, repeated when another writer came in between).
Whatever is acknowledged survives a kill and a power cut: SQLite with WAL and `synchronous=FULL`, PostgreSQL with its
own `synchronous_commit`. Knows nothing of what the rows mean.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import URL, make_url

from lua_cli.errors import LuaError, UnavailableError, UsageError
from lua_cli.server.schema import migrate

T = TypeVar("T")
_ATTEMPTS = 8
_BUSY_SECONDS = 20
_BEGIN = "lua_begin"
_RACES = {"40001", "40P01", "23505"}  # serialization, deadlock, a unique row that came first
_FULL = {"53100"}


class FullError(LuaError):
    """No space left; nothing was stored."""


class BusyError(UnavailableError):
    """The database is locked, gone, or has no connection left: the same call may work later."""


class Database:
    """An open database with today's schema. For any number of threads."""

    def __init__(self, engine: Engine, where: str) -> None:
        self.engine = engine
        self.where = where
        self.identity: tuple[int, int] | None = None  # device and number of the SQLite file

    @property
    def file(self) -> Path | None:
        """The SQLite file, None for PostgreSQL."""
        name = self.engine.url.database
        return Path(name) if self.engine.dialect.name == "sqlite" and name else None

    @property
    def locking(self) -> str:
        """What a query adds to hold the rows that it reads until the transaction ends."""
        return " FOR UPDATE" if self.engine.dialect.name == "postgresql" else ""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Several reads of one moment."""
        options: dict[str, Any] = {_BEGIN: "BEGIN"}
        if self.engine.dialect.name == "postgresql":
            options = {"isolation_level": "REPEATABLE READ"}
        with (
            explained(self.where),
            self.engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            yield connection

    def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` gives, committed. It may run more than once, each time from the beginning."""
        self.check_file()
        for attempt in range(_ATTEMPTS):
            with explained(self.where):
                try:
                    with self.engine.connect() as connection, connection.begin():
                        return work(connection)
                except exc.DBAPIError as error:
                    if attempt == _ATTEMPTS - 1 or not _raced(error):
                        raise
        raise AssertionError("unreachable")

    def check_file(self) -> None:
        """Raises UnavailableError when the SQLite file is not the one that was opened: what is written would be
        gone."""
        if self.identity is None or self.file is None:
            return
        try:
            found = self.file.stat()
        except OSError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self.identity:
            raise UnavailableError(f"{self.where} was removed or replaced", hint="stop the server and look for it")

    def close(self) -> None:
        self.engine.dispose()


def open_database(url: str) -> Database:
    """The database at a URL such as `sqlite:////var/lib/lua/server.db` or `postgresql+psycopg://user@host/name`."""
    parsed = _parsed(url)
    where = parsed.render_as_string(hide_password=True) if parsed.drivername != "sqlite" else str(parsed.database)
    engine = _sqlite(parsed) if parsed.drivername == "sqlite" else _postgresql(parsed)
    database = Database(engine, where)
    try:
        database.write(lambda tx: migrate(tx, where))
        if parsed.drivername == "sqlite":
            _sync_folder(Path(str(parsed.database)).parent)
            opened = Path(str(parsed.database)).stat()
            database.identity = (opened.st_dev, opened.st_ino)
    except BaseException:
        engine.dispose()
        raise
    return database


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):  # the latter for a port or an address that is none
        raise UsageError("--database-url is no address of a database", hint=_EXAMPLE) from None
    if parsed.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername == "sqlite" and parsed.database:
        return parsed
    raise UsageError(f"--database-url cannot be of the kind {parsed.drivername}", hint=_EXAMPLE)


_EXAMPLE = "such as postgresql+psycopg://lua@db.example.com/lua"


def _sqlite(url: URL) -> Engine:
    path = Path(str(url.database))
    with explained(str(path)):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    # isolation_level None: the module begins no transactions of its own, the event below does
    arguments = {"timeout": _BUSY_SECONDS, "isolation_level": None, "check_same_thread": False}
    engine = create_engine(url, connect_args=arguments, pool_size=8, max_overflow=32, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN IMMEDIATE"))

    return engine


def _postgresql(url: URL) -> Engine:
    arguments = {"connect_timeout": 10, "application_name": "lua-serve"}
    # pre_ping: a connection that broke with the database's restart is replaced before it is used
    return create_engine(
        url, connect_args=arguments, pool_size=8, max_overflow=32, pool_pre_ping=True, hide_parameters=True
    )


def _raced(error: exc.DBAPIError) -> bool:
    """Whether another writer came in between, so that the same work from the beginning meets another state."""
    if isinstance(error.orig, sqlite3.IntegrityError):
        return error.orig.sqlite_errorcode in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
    return getattr(error.orig, "sqlstate", None) in _RACES


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turns what the database says into FullError, BusyError, or a LuaError that names it. Never its parameters."""
    try:
        yield
    except exc.DBAPIError as error:
        raise _in_words(error, where) from error
    except exc.TimeoutError as error:  # no connection left in the pool
        raise BusyError(f"{where} has no connection left", hint="try again") from error
    except OSError as error:
        raise LuaError(f"cannot use the database {where}: {error.strerror or error}") from error


def _in_words(error: exc.DBAPIError, where: str) -> LuaError:
    original = error.orig
    code = (getattr(original, "sqlite_errorcode", None) or 0) & 0xFF
    state = getattr(original, "sqlstate", None) or ""
    if code == sqlite3.SQLITE_FULL or state in _FULL:
        return FullError(f"no space left for {where}: nothing was stored")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or state in _RACES:
        return BusyError(f"{where} is locked", hint="try again")
    if code == sqlite3.SQLITE_IOERR:  # of a disk that fails once, too: the call can be repeated, nothing was stored
        return BusyError(f"cannot use {where}: {_first_line(original)}", hint="is the disk in order?")
    if error.connection_invalidated or state[:2] in ("08", "57", "53") or (not state and not code):
        return BusyError(f"cannot reach {where}: {_first_line(original)}", hint="is the database running?")
    return LuaError(f"the database {where} cannot be used: {_first_line(original)}", hint="see docs/server.md")


def _first_line(error: BaseException | None) -> str:
    text = str(error).strip().splitlines()
    return text[0][:200] if text else type(error).__name__


def _sync_folder(folder: Path) -> None:
    """Make a new file's name survive a power cut. Where folders cannot be opened (Windows), the system does it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
