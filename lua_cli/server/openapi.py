"""The OpenAPI document of the server, made from its operations. Pure."""

from __future__ import annotations

import functools
import re
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from lua_cli._version import __version__
from lua_cli.server import bodies
from lua_cli.server.operations import Operation
from lua_cli.server.others import KINDS
from lua_cli.server.routes import ROUTES

_TEMPLATE = "#/components/schemas/{model}"
_REFUSALS = {
    "400": "The request cannot be read",
    "401": "No key, or one that is unknown or revoked",
    "403": "The key may not do that",
    "404": "It is not there",
    "405": "The path has other methods",
    "408": "The body did not come in time",
    "413": "The body is too large",
    "415": "The body is encoded",
    "422": "The request cannot be carried out; `error.code` says why",
    "429": "Too much at once; `Retry-After` says when to come back",
    "500": "The server failed",
    "503": "The server cannot do it now",
    "507": "No space left; nothing was stored",
}
_CONFLICTS = {409: "Someone was there first", 412: "Another version went live since the caller looked"}


@functools.cache
def openapi_document() -> dict[str, Any]:
    """The document, OpenAPI 3.1."""
    models = {m for o in ROUTES.operations for m in (o.body, o.answer) if m is not None} | {bodies.ErrorAnswer}
    ordered = sorted(models, key=lambda model: model.__name__)
    _, definitions = models_json_schema(
        [(model, "validation") for model in ordered], by_alias=True, ref_template=_TEMPLATE
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in ROUTES.operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lua serve",
            "version": __version__,
            "description": "A registry of agents' skills: versions that never change, and a history of what is live.",
        },
        "paths": paths,
        "components": {
            "schemas": {**definitions.get("$defs", {}), "Refusal": _refusal()},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    document: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": operation.run.__name__ + ("_" + "_".join(_names(operation)) if _names(operation) else ""),
        "parameters": [_parameter(name) for name in _names(operation)] + _headers(operation),
        "responses": _responses(operation),
        "security": [{"key": []}] if operation.scope else [],
    }
    if operation.raw:
        content: dict[str, Any] = {"application/octet-stream": {}}
        document["requestBody"] = {"required": True, "content": content}
    elif operation.body is not None:
        document["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _ref(operation.body)}},
        }
    return document


def _names(operation: Operation) -> list[str]:
    return re.findall(r"{(\w+)}", operation.path)


def _parameter(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "minLength": 1}
    if name == "kind":
        schema["enum"] = sorted(KINDS)
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _headers(operation: Operation) -> list[dict[str, Any]]:
    headers = {}
    if operation.writes and operation.scope:
        headers["X-Idempotency-Key"] = {"type": "string", "maxLength": 200}
    if operation.path.endswith("/publish"):
        headers["If-Match"] = {"type": "string", "pattern": r'^(\*|"[0-9]{1,9}")$'}
    if operation.path.endswith("/env") and operation.writes:
        headers["If-Match"] = {"type": "string", "pattern": r'^(\*|"[0-9a-f]{32}")$'}
    return [{"name": name, "in": "header", "required": False, "schema": schema} for name, schema in headers.items()]


def _responses(operation: Operation) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status in operation.statuses:
        if status in _CONFLICTS:
            responses[str(status)] = _refused(_CONFLICTS[status])
        else:
            schema = {"schema": _envelope(operation)} if operation.media == "application/json" else {}
            responses[str(status)] = {"description": "Done", "content": {operation.media: schema}}
    return responses | {status: _refused(text) for status, text in _REFUSALS.items()}


def _refused(description: str) -> dict[str, Any]:
    schema = {"$ref": _TEMPLATE.format(model="Refusal")}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _envelope(operation: Operation) -> dict[str, Any]:
    data = _ref(operation.answer) if operation.answer is not None else {}
    return {
        "type": "object",
        "required": ["success", "data"],
        "properties": {"success": {"const": True}, "data": data},
    }


def _refusal() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["success", "error"],
        "properties": {"success": {"const": False}, "error": _ref(bodies.ErrorAnswer)},
    }


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _TEMPLATE.format(model=model.__name__)}
