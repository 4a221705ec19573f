"""A PostgreSQL cluster that the tests of a run share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.serving import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as cluster:
        yield cluster
