"""What the embedded registry holds of some skills, as one digest: while it is the same, a push reads the same.

In: a connection, or the path of the file; an agent, and skills with the version of each that is the highest. Out: a
digest, which says nothing but "as before": whether the rows are what was written is for `rows.py`, before a digest is
kept. Imports nothing that costs time beyond SQLite: an unchanged push waits for this.
"""

from __future__ import annotations

import sqlite3

from lua_cli.errors import LuaError
from lua_cli.registry.database import MIGRATIONS, DamageError, check_structure, schema_of, snapshot

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from collections.abc import Iterable

_VERSIONS = (
    "SELECT version, digest, size, author, created, tools, said, seal, yanked FROM versions WHERE skill = ?"
    " ORDER BY version"
)
_FACTS = "SELECT facts FROM versions WHERE skill = ? AND version = ?"
_HISTORY = (
    "SELECT number, version, previous, created, author, key, seal FROM deployments WHERE skill = ? ORDER BY number"
)


def standing_of(db: sqlite3.Connection, agent: str, skills: Iterable[tuple[str, str]]) -> str:
    """The digest of all that is known of these (skill, highest version), inside a transaction of the caller."""
    import hashlib

    digest = hashlib.sha256()
    for name, version in skills:
        found = db.execute("SELECT id, name FROM skills WHERE agent = ? AND name = ?", (agent, name)).fetchall()
        rows: list[object] = [agent, name, version, found]
        for skill, _ in found:
            rows += [db.execute(query, (skill,)).fetchall() for query in (_VERSIONS, _HISTORY)]
            rows.append(db.execute(_FACTS, (skill, version)).fetchall())
        digest.update(ascii(rows).encode())
    return digest.hexdigest()


def standing_at(path: str, agent: str, skills: Iterable[tuple[str, str]]) -> str | None:
    """The digest out of the registry at `path`; None where it is not there, not whole, or cannot be read at once: who
    opens it in the ordinary way gets to know why."""
    try:
        db = _present(path)
        if db is None:
            return None
        try:
            with snapshot(db):
                return standing_of(db, agent, skills)
        finally:
            db.close()
    except (sqlite3.Error, DamageError, LuaError, ValueError):  # ValueError: a path or a text that is no UTF-8
        return None


def _present(path: str) -> sqlite3.Connection | None:
    """The database at `path`, an absolute one, when it is there, a registry of today's schema, and whole; None
    otherwise. It is not made, not brought to today's schema, and not waited for.

    Raises sqlite3.Error, LuaError, DamageError where `open_database` has words for it.
    """
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(f"file://{quoted}?mode=rw", timeout=0, isolation_level=None, uri=True)
    try:
        connection.execute("PRAGMA synchronous = FULL")  # closing may move into the file what another one committed
        connection.execute("PRAGMA trusted_schema = OFF")
        with snapshot(connection):
            present = schema_of(connection, path)
        if present == len(MIGRATIONS):
            check_structure(connection)
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None
