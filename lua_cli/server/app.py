"""The ASGI application: a request in, an answer out, in the order that is safe: address, room, key, right, body, work.

In: an open `ServerState`. Out: an application for uvicorn. Whatever happens, the answer is one of the API's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from lua_cli.records import record, replace
from lua_cli.server.carrying import Reply, authorise, carry_out, forget_answers
from lua_cli.server.keys import KeyRecord
from lua_cli.server.limits import BLOB_LIMIT, JSON_LIMIT, Gate, Limits
from lua_cli.server.openapi import openapi_document
from lua_cli.server.operations import Call, Operation
from lua_cli.server.reading import declared_size, read_model, receive_body
from lua_cli.server.refusing import RefusedError, refusal_of
from lua_cli.server.routes import ROUTES
from lua_cli.server.state import ServerState
from lua_cli.server.watching import Served, Watch, say_failure

_CLIENT_GONE = 499
_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}
_HOUR = 3600


@record
class _Trace:
    """What is known of a request by the time that it ends."""

    id: str
    route: str = ""
    key: str = ""
    agent: str = ""
    code: str = ""
    received: int = 0


class Api:
    """The application without its lifespan."""

    def __init__(self, state: ServerState, limits: Limits, watch: Watch) -> None:
        self._state = state
        self._gate = Gate(limits)
        self._watch = watch
        self._plain = {
            "/healthz": self._health,
            "/readyz": self._ready,
            "/metrics": self._metrics,
            "/openapi.json": self._openapi,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request, trace, started = Request(scope, receive), _Trace(secrets.token_hex(8)), time.perf_counter()
        self._watch.begin()
        reply = Reply(_CLIENT_GONE, b"")
        try:
            reply = await self._answer(request, trace)
            headers = {"X-Request-Id": trace.id, "X-Content-Type-Options": "nosniff", **reply.headers}
            await Response(reply.body, reply.status, headers, reply.media)(scope, receive, send)
        finally:
            seconds = time.perf_counter() - started
            method = request.method if request.method in _METHODS else "other"  # a label that a stranger cannot choose
            parts = (trace.id, method, trace.route, reply.status, seconds)
            self._watch.done(Served(*parts, trace.key, trace.agent, trace.code, trace.received, len(reply.body)))

    async def _answer(self, request: Request, trace: _Trace) -> Reply:
        plain = self._plain.get(request.url.path)
        if plain is not None and request.method in ("GET", "HEAD"):
            trace.route = request.url.path
            return await plain()
        try:
            with self._gate.running():
                return await self._operate(request, trace)
        except ClientDisconnect:
            return Reply(_CLIENT_GONE, b"")
        except Exception as error:  # noqa: BLE001  # every failure has an answer, and ours are logged
            refusal = refusal_of(error)
            trace.code = refusal.code
            if refusal.hidden:
                say_failure("failure", error, id=trace.id, route=trace.route)
            return Reply(refusal.status, json.dumps(refusal.document()).encode(), headers=refusal.headers)

    async def _operate(self, request: Request, trace: _Trace) -> Reply:
        operation, path, others = ROUTES.find(request.method, request.scope["raw_path"])
        if operation is None:
            if others:
                said = f"{request.method[:40]} is not one of {', '.join(others)}"
                raise RefusedError(405, "method", said, headers={"Allow": ", ".join(others)})
            raise RefusedError(404, "no-such-call", "there is no such call")
        trace.route, trace.agent = operation.path, path.get("agent", "")
        header = request.headers.get("authorization", "")
        key = await run_in_threadpool(authorise, self._state, operation, header, path)
        if key is not None:
            trace.key = key.id
            self._gate.pass_key(key.id)
        call = self._call(request, path, key)
        if operation.admit is not None:
            operation.admit(call)
        limit = BLOB_LIMIT if operation.raw else JSON_LIMIT
        expected = declared_size(request, limit)
        with self._gate.holding(expected):
            body = await receive_body(request, limit, expected)
            trace.received = len(body)
            return await run_in_threadpool(self._work, operation, call, body)

    def _work(self, operation: Operation, call: Call, body: bytes) -> Reply:
        read: Any = body if operation.raw else None
        if operation.whole and not body:
            raise RefusedError(400, "body-missing", "the call needs a body", hint="{} stands for nothing at all")
        if operation.body is not None:
            read = read_model(operation.body, body)
        return carry_out(operation, replace(call, body=read))

    def _call(self, request: Request, path: dict[str, str], key: KeyRecord | None) -> Call:
        base = self._state.public_url or str(request.base_url).rstrip("/")
        return Call(self._state, key, path, request.headers, base)

    async def _health(self) -> Reply:
        return Reply(200, b'{"ok":true}')

    async def _ready(self) -> Reply:
        """Whether the database, the contents and the disk can be worked with."""
        try:
            await run_in_threadpool(self._check)
        except Exception as error:  # noqa: BLE001  # not ready, whatever the reason
            say_failure("not ready", error)
            return Reply(503, b'{"ok":false}')
        return Reply(200, b'{"ok":true}')

    def _check(self) -> None:
        self._state.database.check_file()
        with self._state.database.reading() as tx:
            tx.exec_driver_sql("SELECT version FROM lua_schema").scalar_one()
        self._state.blobs.check()
        self._state.make_room(0)

    async def _metrics(self) -> Reply:
        return Reply(200, self._watch.numbers(), "text/plain; version=0.0.4; charset=utf-8")

    async def _openapi(self) -> Reply:
        return Reply(200, json.dumps(openapi_document()).encode())


def make_app(state: ServerState, limits: Limits | None = None) -> Router:
    """The application; it closes the state when it ends."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        tidying = asyncio.create_task(_tidy(state))
        try:
            yield
        finally:
            tidying.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await tidying
            state.close()

    return Router(default=Api(state, limits or Limits(), Watch()), lifespan=lifespan)


async def _tidy(state: ServerState) -> None:
    while True:
        try:
            await run_in_threadpool(forget_answers, state)
        except Exception as error:  # noqa: BLE001  # the next hour tries again
            say_failure("tidying failed", error)
        await asyncio.sleep(_HOUR)
