"""Servers that the tests of the protocol share: each test has an agent of its own there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.serving import Server, running_postgres
from tests.server.stores import running_seaweedfs

Hosted = tuple[Server, str]


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """`lua serve` on SQLite, and a key."""
    server = Server(tmp_path_factory.mktemp("serve")).start()
    yield server, server.key("mo")
    server.close()


@pytest.fixture(scope="session")
def serve_team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """`lua serve` on PostgreSQL and an S3 store, and a key."""
    folder: Path = tmp_path_factory.mktemp("team")
    with contextlib.ExitStack() as stack:
        cluster, s3 = stack.enter_context(running_postgres()), stack.enter_context(running_seaweedfs())
        server = Server(folder, "--blobs", "s3://lua/team", url=cluster.database(), env=s3.env)
        stack.callback(server.close)
        yield server.start(), server.key("mo")
