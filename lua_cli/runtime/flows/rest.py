"""`rest`: one HTTP request. In: a block, a message. Out: the response's body as the body, or in a variable.

JSON is read strictly, anything else is text. Bounded in time and size. Redirects are not followed: the connector names
the host, and a message must not be led elsewhere.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lua_cli.flows.json_text import as_text, compact
from lua_cli.flows.model import Block, Connector
from lua_cli.runtime.flows.data import put
from lua_cli.runtime.flows.message import BlockError, Message
from lua_cli.runtime.request import InputError, read_input

if TYPE_CHECKING:
    import httpx

    from lua_cli.runtime.flows.engine import Engine, Work

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_DOTS = re.compile(r"(?:\.|%2e){1,2}", re.IGNORECASE)
_MAX_BYTES = 10 * 1024**2
_SECONDS = 30.0


def _rest(engine: Engine, block: Block, message: Message) -> None:
    import httpx

    connector = engine.flows.connectors[block.values["connector"]]
    method = block.values.get("method", "GET")
    path = _path(engine, block, message)
    seconds = min(engine.around.left(), float(block.values.get("timeout", _SECONDS)))
    shown = f"{method} {path}"
    request = _request(engine, block, message, connector, path)
    until = time.monotonic() + seconds

    def exchange() -> tuple[httpx.Response, bytes]:
        with (
            httpx.Client(transport=engine.around.http, timeout=seconds, follow_redirects=False) as client,
            client.stream(method, **request) as response,
        ):
            return response, _content(response, shown, until)

    try:
        response, content = engine.around.bounded(exchange, seconds)
        _take(block, message, response, content, shown)
    except (httpx.TimeoutException, TimeoutError):
        raise BlockError(f"{shown}: no answer within {seconds:g} seconds") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise BlockError(f"{shown}: {str(error) or type(error).__name__}") from None


def _path(engine: Engine, block: Block, message: Message) -> str:
    """The path, whose values are one segment each and cannot lead to another folder; never to another host: a slash
    stands between what the connector says and what comes of a message.
    """
    path = engine.rendered(block.values["path"], message, lambda text: quote(text, safe=""))
    if path[:1] not in ("/", "?", ""):
        path = f"/{path}"
    if any(_DOTS.fullmatch(segment) for segment in path.partition("?")[0].split("/")):
        raise BlockError(f"the path {path} has a segment of dots alone, which would lead to another folder")
    return path


def _base(connector: Connector) -> str:
    base = connector.settings.get("baseURL")
    if not isinstance(base, str) or "://" not in base:
        raise BlockError(f"the connector {connector.name} has no `baseURL`")
    return base.rstrip("/")


def _request(engine: Engine, block: Block, message: Message, connector: Connector, path: str) -> dict[str, Any]:
    """The request, its method aside. What `query` names is put beside what the path has."""
    import httpx

    given = connector.settings.get("headers")
    headers = {str(name): as_text(value) for name, value in given.items()} if isinstance(given, dict) else {}
    for name, expression in block.values.get("headers", {}).items():
        headers = {key: value for key, value in headers.items() if key.lower() != name.lower()}
        headers[name] = as_text(engine.value(expression, message, f"headers.{name}"))
    query = {
        name: as_text(engine.value(expression, message, f"query.{name}"))
        for name, expression in block.values.get("query", {}).items()
    }
    url = httpx.URL(_base(connector) + path)
    out: dict[str, Any] = {"url": url.copy_merge_params(query) if query else url}
    if "body" in block.values:
        body = engine.value(block.values["body"], message, "body")
        out["content"] = as_text(body).encode() if isinstance(body, str) else compact(body).encode()
        if not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or any(character in value for character in "\r\n\0"):
            raise BlockError(f"{name!r} cannot be a header with this value")
    out["headers"] = [(name.encode(), value.encode()) for name, value in headers.items()]
    return out


def _content(response: httpx.Response, shown: str, until: float) -> bytes:
    """The content. Raises TimeoutError for one that is still coming at that time, whoever waits for it."""
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if time.monotonic() > until:
            raise TimeoutError
        if len(content) > _MAX_BYTES:
            raise BlockError(f"{shown}: the answer is larger than {_MAX_BYTES // 1024**2} MiB")
    return bytes(content)


def _take(block: Block, message: Message, response: httpx.Response, content: bytes, shown: str) -> None:
    status = response.status_code
    if "statusVar" in block.values:
        message.vars[block.values["statusVar"]] = status
    if block.values.get("failOnError", True) and not 200 <= status < 300:
        raise BlockError(f"{shown}: status {status} {response.reason_phrase}".rstrip())
    put(block, message, _value(content))


def _value(content: bytes) -> Any:
    if not content:
        return None
    try:
        return read_input(content)
    except InputError:
        return content.decode("utf-8", "replace")


WORK: dict[str, Work] = {"rest": _rest}
