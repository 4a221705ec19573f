"""The tables under the server: one script for each schema version, in the SQL that SQLite and PostgreSQL share.

In: a connection inside a transaction. Out: the same with today's tables, or a refusal. A script, once released, never
changes. Rows of versions and deployments are immutable but for `yanked`; triggers hold that against every writer.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from lua_cli.errors import LuaError

_FIRST = (
    "CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE keys (
        id      TEXT NOT NULL PRIMARY KEY,
        name    TEXT NOT NULL,
        hash    TEXT NOT NULL UNIQUE,
        hint    TEXT NOT NULL,
        scopes  TEXT NOT NULL,
        created TEXT NOT NULL,
        revoked TEXT
    )""",
    """CREATE TABLE key_agents (
        key   TEXT NOT NULL REFERENCES keys (id),
        agent TEXT NOT NULL,
        PRIMARY KEY (key, agent)
    )""",
    """CREATE TABLE skills (
        id          TEXT NOT NULL PRIMARY KEY,
        agent       TEXT NOT NULL,
        name        TEXT NOT NULL,
        description TEXT NOT NULL,
        context     TEXT NOT NULL,
        created     TEXT NOT NULL,
        active      INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
        UNIQUE (agent, name)
    )""",
    # `content` is NULL where the bytes lie in an object store.
    "CREATE TABLE blobs (digest TEXT NOT NULL PRIMARY KEY, size BIGINT NOT NULL, content {bytes})",
    # What an agent uploaded, under the name that its client gave it: nobody reads a content by knowing its digest.
    """CREATE TABLE uploads (
        agent  TEXT NOT NULL,
        name   TEXT NOT NULL,
        digest TEXT NOT NULL REFERENCES blobs (digest),
        PRIMARY KEY (agent, name)
    )""",
    # `loose`: the version of a client that sends single tools; `body` is what it sent, `digest` that of `body`.
    """CREATE TABLE versions (
        id         TEXT NOT NULL UNIQUE,
        skill      TEXT NOT NULL REFERENCES skills (id),
        version    TEXT NOT NULL,
        precedence TEXT NOT NULL,
        digest     TEXT NOT NULL,
        size       BIGINT NOT NULL,
        author     TEXT NOT NULL,
        created    TEXT NOT NULL,
        tools      TEXT NOT NULL,
        loose      INTEGER NOT NULL CHECK (loose IN (0, 1)),
        said       TEXT NOT NULL,
        seal       TEXT NOT NULL,
        yanked     INTEGER NOT NULL DEFAULT 0 CHECK (yanked IN (0, 1)),
        facts      TEXT NOT NULL,
        body       TEXT NOT NULL,
        PRIMARY KEY (skill, version),
        UNIQUE (skill, precedence)
    )""",
    """CREATE TABLE deployments (
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
    )""",
    """CREATE TABLE sandboxes (
        id      TEXT NOT NULL PRIMARY KEY,
        skill   TEXT NOT NULL REFERENCES skills (id),
        body    TEXT NOT NULL,
        created TEXT NOT NULL
    )""",
    """CREATE TABLE sources (
        skill   TEXT NOT NULL,
        version TEXT NOT NULL,
        body    TEXT NOT NULL,
        PRIMARY KEY (skill, version),
        FOREIGN KEY (skill, version) REFERENCES versions (skill, version)
    )""",
    "CREATE TABLE manifests (agent TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, created TEXT NOT NULL)",
    """CREATE TABLE variables (
        agent TEXT NOT NULL,
        name  TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (agent, name)
    )""",
    # First answers by idempotency key; `request` is a digest over what was asked.
    """CREATE TABLE answers (
        key     TEXT NOT NULL,
        repeat  TEXT NOT NULL,
        request TEXT NOT NULL,
        status  INTEGER NOT NULL,
        body    TEXT NOT NULL,
        created TEXT NOT NULL,
        PRIMARY KEY (key, repeat)
    )""",
    "CREATE INDEX answers_by_age ON answers (created)",
)
_FIXED = "id, skill, version, precedence, digest, size, author, created, tools, loose, said, seal, facts, body"
_GUARDS_SQLITE = (
    "CREATE TRIGGER versions_stay BEFORE DELETE ON versions"
    " BEGIN SELECT RAISE (ABORT, 'versions are never removed'); END",
    f"CREATE TRIGGER versions_are_immutable BEFORE UPDATE OF {_FIXED} ON versions"
    " BEGIN SELECT RAISE (ABORT, 'versions never change'); END",
    "CREATE TRIGGER deployments_stay BEFORE DELETE ON deployments"
    " BEGIN SELECT RAISE (ABORT, 'the history only grows'); END",
    "CREATE TRIGGER deployments_are_immutable BEFORE UPDATE ON deployments"
    " BEGIN SELECT RAISE (ABORT, 'the history never changes'); END",
)
_GUARDS_POSTGRESQL = (
    "CREATE FUNCTION lua_stays() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION 'versions and the history never change'; END $$",
    "CREATE TRIGGER versions_stay BEFORE DELETE ON versions FOR EACH ROW EXECUTE FUNCTION lua_stays()",
    f"CREATE TRIGGER versions_are_immutable BEFORE UPDATE OF {_FIXED} ON versions"
    " FOR EACH ROW EXECUTE FUNCTION lua_stays()",
    "CREATE TRIGGER deployments_stay BEFORE DELETE OR UPDATE ON deployments FOR EACH ROW EXECUTE FUNCTION lua_stays()",
)
# What tools keep: end users, and records in collections. `number` is the order in which an agent's records came.
_STATE = (
    "CREATE TABLE end_users (agent TEXT NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (agent, id))",
    """CREATE TABLE records (
        agent      TEXT NOT NULL,
        number     BIGINT NOT NULL,
        collection TEXT NOT NULL,
        id         TEXT NOT NULL,
        data       TEXT NOT NULL,
        text       TEXT,
        PRIMARY KEY (agent, collection, id),
        UNIQUE (agent, number)
    )""",
)
MIGRATIONS = (
    {"sqlite": _FIRST + _GUARDS_SQLITE, "postgresql": _FIRST + _GUARDS_POSTGRESQL},
    {"sqlite": _STATE, "postgresql": _STATE},
)

_MARK = "lua_schema"
_LOCK = 0x6C756172
_BYTES = {"sqlite": "BLOB", "postgresql": "BYTEA"}


def migrate(tx: Connection, where: str) -> None:
    """Bring the database to today's schema. Raises LuaError for one of a newer release or of another program."""
    dialect = tx.dialect.name
    if dialect == "postgresql":  # replicas that start together wait for each other
        tx.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    present = schema_version(tx, where)
    for number, scripts in enumerate(MIGRATIONS[present:], start=present + 1):
        for statement in scripts[dialect]:
            tx.exec_driver_sql(statement.replace("{bytes}", _BYTES[dialect]))
        tx.execute(text("UPDATE lua_schema SET version = :number"), {"number": number})


def schema_version(tx: Connection, where: str) -> int:
    """The schema version of the database; a fresh one is marked as ours first."""
    tables = inspect(tx).get_table_names()
    if _MARK not in tables:
        if tables:
            raise LuaError(
                f"{where} is a database, but not one of lua serve (it has a table {sorted(tables)[0]!r})",
                hint="name an empty database",
            )
        tx.exec_driver_sql("CREATE TABLE lua_schema (version INTEGER NOT NULL)")
        tx.exec_driver_sql("INSERT INTO lua_schema VALUES (0)")
    version = int(tx.exec_driver_sql("SELECT version FROM lua_schema").scalar_one())
    if version > len(MIGRATIONS):
        raise LuaError(
            f"{where} was written by a newer lua-cli (schema {version}, this one knows {len(MIGRATIONS)})",
            hint="upgrade lua-cli on this server; the database was left alone",
        )
    return version
