"""Servers for the tests of faults: a fresh one on SQLite, and a PostgreSQL cluster that the tests of a run share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.serving import Postgres, Server, running_postgres
from tests.server.stores import SeaweedFS, running_seaweedfs


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "server").start()
    yield running
    running.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def seaweedfs() -> Iterator[SeaweedFS]:
    with running_seaweedfs() as store:
        yield store
