"""Where contents lie: in the database, or in an S3-compatible store. In: bytes. Out: verified bytes by digest.

A content is stored before the row that speaks of it, under its digest alone; storing it twice is storing it once.
Every reader gets bytes that have their digest, or `DamageError`.
"""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

from sqlalchemy import Connection, text

from lua_cli.bundle.canonical import digest_of
from lua_cli.errors import UnavailableError, UsageError
from lua_cli.registry.database import DamageError


class Blobs(Protocol):
    """A store of contents by digest ("sha256:" + hex)."""

    where: str

    def keep(self, digest: str, content: bytes) -> None:
        """Outside of a transaction, before `record`: what takes long."""
        ...

    def record(self, tx: Connection, digest: str, content: bytes) -> None:
        """Inside of the transaction that makes the content known."""
        ...

    def fetch(self, tx: Connection, digest: str) -> bytes: ...

    def check(self) -> None:
        """Raises UnavailableError when the store does not answer."""
        ...


class DatabaseBlobs:
    """Contents in the database itself."""

    where = "the database"

    def keep(self, digest: str, content: bytes) -> None:
        pass

    def record(self, tx: Connection, digest: str, content: bytes) -> None:
        """A copy that was damaged on the disk is mended: the right bytes are at hand."""
        insert = text(
            "INSERT INTO blobs (digest, size, content) VALUES (:digest, :size, :content)"
            " ON CONFLICT (digest) DO NOTHING"
        )
        values = {"digest": digest, "size": len(content), "content": content}
        if tx.execute(insert, values).rowcount == 0 and self._content(tx, digest) != content:
            tx.execute(text("UPDATE blobs SET content = :content, size = :size WHERE digest = :digest"), values)

    def fetch(self, tx: Connection, digest: str) -> bytes:
        content = self._content(tx, digest)
        if content is None or digest_of(content) != digest:
            raise DamageError(f"the content {digest} is not what was pushed")
        return content

    def check(self) -> None:
        pass

    def _content(self, tx: Connection, digest: str) -> bytes | None:
        found = tx.execute(text("SELECT content FROM blobs WHERE digest = :digest"), {"digest": digest}).scalar()
        return None if found is None else bytes(found)


class ObjectBlobs:
    """Contents as objects `sha256/<hex>` of an S3-compatible store; the database knows their digests and sizes."""

    def __init__(self, url: str) -> None:
        import obstore
        from obstore.exceptions import BaseError
        from obstore.store import from_url

        if not url.startswith("s3://"):
            raise UsageError("--blobs is no address of a store", hint="such as s3://bucket/prefix")
        self._obstore = obstore
        try:
            self._store: Any = from_url(
                url, client_options={"timeout": "60s", "connect_timeout": "10s", "allow_http": True}
            )
        except (BaseError, ValueError) as error:
            raise UsageError("--blobs is no address of a store", hint="such as s3://bucket/prefix") from error
        self.where = url

    def keep(self, digest: str, content: bytes) -> None:
        """Never over another object, but over a damaged copy of this one."""
        from obstore.exceptions import AlreadyExistsError

        try:
            self._call("put", _path(digest), content, mode="create")
        except AlreadyExistsError:
            if digest_of(self._read(digest) or b"") != digest:
                self._call("put", _path(digest), content)

    def record(self, tx: Connection, digest: str, content: bytes) -> None:
        insert = text("INSERT INTO blobs (digest, size) VALUES (:digest, :size) ON CONFLICT (digest) DO NOTHING")
        tx.execute(insert, {"digest": digest, "size": len(content)})

    def fetch(self, tx: Connection, digest: str) -> bytes:
        content = self._read(digest)
        if content is None or digest_of(content) != digest:
            raise DamageError(f"the content {digest} is not what was pushed")
        return content

    def check(self) -> None:
        from obstore.exceptions import NotFoundError

        with contextlib.suppress(NotFoundError, FileNotFoundError):
            self._call("head", "sha256/probe")

    def _read(self, digest: str) -> bytes | None:
        from obstore.exceptions import NotFoundError

        try:
            return bytes(self._call("get", _path(digest)).bytes())
        except (NotFoundError, FileNotFoundError):  # the library raises the one or the other
            return None

    def _call(self, name: str, *args: Any, **options: Any) -> Any:
        from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError

        try:
            return getattr(self._obstore, name)(self._store, *args, **options)
        except (AlreadyExistsError, NotFoundError, FileNotFoundError):
            raise
        except BaseError as error:
            raise UnavailableError(f"{self.where} does not answer: {_first_line(error)}", hint="try again") from error


def open_blobs(url: str | None) -> Blobs:
    return ObjectBlobs(url) if url else DatabaseBlobs()


def _path(digest: str) -> str:
    return digest.replace(":", "/")


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
