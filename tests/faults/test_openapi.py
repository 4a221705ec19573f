"""Requests drawn from the server's own OpenAPI document: no failure of ours, and no answer that the document does not know.

`LUA_FAULT_EXAMPLES` sets how many are drawn for each operation.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings

from lua_cli.server.operations import Operation
from lua_cli.server.routes import ROUTES
from tests.server.serving import Server

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    schemathesis: Any = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

EXAMPLES = int(os.environ.get("LUA_FAULT_EXAMPLES", "3")) * 4
CHECKS = [not_a_server_error, response_schema_conformance, status_code_conformance, content_type_conformance]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("openapi"), "--rate", "10000").start()
    yield server
    server.close()


@pytest.fixture(scope="module")
def key(serving: Server) -> str:
    return serving.key()


@pytest.fixture(scope="module")
def api(serving: Server) -> Any:
    document = httpx.get(f"{serving.address}/openapi.json", trust_env=False, timeout=60).json()
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=serving.address)
    return schema


@pytest.mark.parametrize("operation", ROUTES.operations, ids=lambda operation: f"{operation.method} {operation.path}")
def test_every_operation_answers_as_it_says(operation: Operation, api: Any, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}

    @given(case=api[operation.path][operation.method].as_strategy())
    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
    def try_it(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=CHECKS)

    try_it()
