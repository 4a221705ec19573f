"""What the server holds while it runs: the database, the contents, the secret of upload addresses. Opened once."""

from __future__ import annotations

import secrets
import shutil

from sqlalchemy import Connection, text

from lua_cli.errors import UsageError
from lua_cli.records import field, record
from lua_cli.server.blobs import Blobs, open_blobs
from lua_cli.server.database import Database, FullError, open_database


@record(frozen=True)
class ServerState:
    """`reserve` bytes of the disk stay free: what would use them is refused before it is written."""

    database: Database
    blobs: Blobs
    secret: bytes = field(repr=False)
    reserve: int = 64 * 1024 * 1024
    public_url: str = ""

    def make_room(self, size: int) -> None:
        """Raises FullError when the disk under a SQLite file has no place for so many bytes."""
        file = self.database.file
        if file is None:
            return
        free = shutil.disk_usage(file.parent).free
        if free < size + self.reserve:
            raise FullError(f"no space left: {free // 2**20} MiB are free, {self.reserve // 2**20} MiB are kept free")

    def close(self) -> None:
        self.database.close()


def open_state(url: str, blobs: str | None, *, reserve: int, public_url: str = "") -> ServerState:
    """Open what is there, or make it."""
    store = open_blobs(blobs)
    database = open_database(url)
    try:
        database.write(lambda tx: _same_blobs(tx, store))
        secret = database.write(_secret)
    except BaseException:
        database.close()
        raise
    return ServerState(database, store, secret, reserve, public_url.rstrip("/"))


def _same_blobs(tx: Connection, store: Blobs) -> None:
    """A database stays with the place of its contents: elsewhere they would be missing."""
    insert = text("INSERT INTO settings (name, value) VALUES ('blobs', :value) ON CONFLICT (name) DO NOTHING")
    tx.execute(insert, {"value": store.where})
    before = tx.execute(text("SELECT value FROM settings WHERE name = 'blobs'")).scalar_one()
    if before != store.where:
        raise UsageError(
            f"the contents of this database lie in {before}, not in {store.where}",
            hint=f"--blobs {before}" if before.startswith("s3:") else "leave --blobs out",
        )


def _secret(tx: Connection) -> bytes:
    """The same for all replicas: who started first made it."""
    insert = text("INSERT INTO settings (name, value) VALUES ('secret', :value) ON CONFLICT (name) DO NOTHING")
    tx.execute(insert, {"value": secrets.token_hex(32)})
    return bytes.fromhex(tx.execute(text("SELECT value FROM settings WHERE name = 'secret'")).scalar_one())
