"""The body of a request: received within bounds of size and time, and read as strict JSON. In: a request. Out: bytes,
or the model of the operation; else a refusal (400, 408, 413, 415, 422).
"""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from lua_cli.server.refusing import RefusedError

_SECONDS = 60.0
_SLOWEST = 64 * 1024
_DEEPEST = 100


def declared_size(request: Request, limit: int) -> int:
    """How many bytes will come. Raises RefusedError for more than `limit`, before any of them is read."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise RefusedError(415, "encoding", "bodies are taken without Content-Encoding")
    text = request.headers.get("content-length")
    if text is None:
        chunked = "transfer-encoding" in request.headers
        return limit if chunked else 0
    if not (text.isascii() and text.isdigit()):
        raise RefusedError(400, "length-invalid", "Content-Length is no number")
    if len(text) > 12 or int(text) > limit:
        raise too_large(limit)
    return int(text)


def too_large(limit: int) -> RefusedError:
    return RefusedError(413, "too-large", f"a body here has at most {limit // 2**20} MiB")


async def receive_body(request: Request, limit: int, expected: int) -> bytes:
    """All bytes, at most `limit`, in a time that a slow line keeps and a dripping one does not."""
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS + expected / _SLOWEST):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise too_large(limit)
    except TimeoutError:
        raise RefusedError(408, "slow", "the body did not come in time") from None
    return bytes(body)


def read_model(model: type[BaseModel], body: bytes) -> BaseModel:
    """The body as a model. Raises RefusedError with the place of the first fault."""
    try:
        return model.model_validate(read_json(body))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = "/".join(str(part) for part in first["loc"])
        raise RefusedError(422, "body-invalid", f"/{place}: {first['msg']}"[:500]) from None


def read_json(body: bytes) -> Any:
    """Strict JSON: UTF-8, finite numbers, bounded depth; an empty body is an empty object."""
    if not body:
        return {}
    try:
        document = json.loads(body.decode("utf-8"), parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "json-invalid", f"the body is not JSON: {str(error)[:200]}") from None
    _check_depth(document)
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise RefusedError(400, "json-invalid", "a text has half of a surrogate pair in it") from None
    return document


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _check_depth(document: Any) -> None:
    level, depth = [document], 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise RefusedError(400, "json-invalid", f"the body is nested more than {_DEEPEST} deep")
        level = [
            child
            for value in level
            for child in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
            if isinstance(child, dict | list)
        ]
