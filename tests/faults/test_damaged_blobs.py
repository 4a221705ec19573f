"""Stored contents that are cut short, have a bit flipped, or are gone: a reader gets an error and never other bytes, a check of the
registry names the version, and the next push of the same content mends it. On the embedded registry, and on a server with its
contents in SQLite and in an S3 store.

`LUA_FAULTS=all` damages 200 places of each; by default six.
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import obstore
import pytest
from obstore.store import from_url

from lua_cli.errors import LuaError
from lua_cli.records import replace
from lua_cli.registry.content import verify
from lua_cli.registry.embedded import EmbeddedRegistry
from lua_cli.registry.protocol import Registry
from tests.registry.sample import AGENT, submission
from tests.server.serving import Server
from tests.server.stores import SeaweedFS, store_config

PLACES = 200 if os.environ.get("LUA_FAULTS") == "all" else 6
SENT = submission()
Spoil = Callable[[bytes | None], None]


@pytest.fixture(params=["embedded", "sqlite", "s3"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Registry, Spoil]]:
    """A registry with one version, and what writes other bytes over its content (None: removes it)."""
    with contextlib.ExitStack() as stack:
        if request.param == "embedded":
            path = tmp_path / "registry.db"
            registry: Registry = stack.enter_context(EmbeddedRegistry(path))
            spoil = in_database(path)
        else:
            options, env = [], {}
            if request.param == "s3":
                store: SeaweedFS = request.getfixturevalue("seaweedfs")
                options, env = ["--blobs", f"s3://lua/{tmp_path.name}"], store.env
            server = Server(tmp_path / "server", *options, env=env)
            stack.callback(server.close)
            registry = stack.enter_context(server.start().client())
            spoil = (
                in_store(f"s3://lua/{tmp_path.name}", env) if env else in_database(tmp_path / "server" / "server.db")
            )
        registry.put(AGENT, SENT)
        yield registry, spoil


def in_database(path: Path) -> Spoil:
    def spoil(content: bytes | None) -> None:
        with contextlib.closing(sqlite3.connect(path, timeout=30)) as database, database:
            if content is None:
                database.execute("PRAGMA foreign_keys = OFF")
                database.execute("DELETE FROM blobs WHERE digest = ?", [SENT.digest])
            else:
                database.execute("UPDATE blobs SET content = ? WHERE digest = ?", [content, SENT.digest])

    return spoil


def in_store(url: str, env: dict[str, str]) -> Spoil:
    store = from_url(url, client_options={"allow_http": True}, config=store_config(env))
    place = SENT.digest.replace(":", "/")

    def spoil(content: bytes | None) -> None:
        if content is None:
            obstore.delete(store, place)
        else:
            obstore.put(store, place, content)

    return spoil


def damages() -> list[bytes | None]:
    """The content cut short and with a bit flipped, at drawn places; and none at all."""
    chance = random.Random(3)
    content = SENT.content
    cut: list[bytes | None] = [content[: chance.randrange(len(content))] for _ in range(PLACES // 2)]
    flipped: list[bytes | None] = []
    for _ in range(PLACES - len(cut)):
        place = chance.randrange(len(content))
        flipped.append(content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :])
    return [*cut, *flipped, content + b"\0", b"", None]


def test_damaged_content_is_an_error_until_it_is_pushed_again(stored: tuple[Registry, Spoil]) -> None:
    registry, spoil = stored
    for number, damaged in enumerate(damages(), start=1):
        spoil(damaged)
        with pytest.raises(LuaError):
            registry.artifact(AGENT, "orders", "1.0.0")
        faults = verify(registry, (AGENT,)).faults
        assert [(fault.skill, fault.version) for fault in faults] == [("orders", f"1.0.{n}") for n in range(number)]
        push_again(registry, f"1.0.{number}")
        assert registry.artifact(AGENT, "orders", "1.0.0") == SENT.content
        assert verify(registry, (AGENT,)).faults == []
    print(f"{len(damages())} damages of a stored content")


def push_again(registry: Registry, number: str) -> None:
    """The same content under another number. The first time a server may only find out that it has to ask for it."""
    sent = replace(SENT, version=number, unchecked=True)
    try:
        registry.put(AGENT, sent)
    except LuaError as error:
        assert error.hint == "push again: it is sent anew"
        registry.put(AGENT, sent)
