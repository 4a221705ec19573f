"""HTTP that a case plays or records. In: exchanges (request → response). Out: answers to `http.client` (urllib,
requests, urllib3) and to httpx, without a connection; what was asked for and not there; in recording, what was really
exchanged.

`http.client` talks to one end of a socket pair, whose other end a thread serves; httpx is served at its transports.
Other clients find no network (offline.py).
"""

from __future__ import annotations

import base64
import http.client
import json
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lua_cli.child.encode import NotJsonError, encode

_WILD = "***"  # what stands for a secret in recorded exchanges
_KEPT_HEADERS = ("content-type", "location", "retry-after", "link", "etag")
_TIMEOUT = 60


class Exchanges:
    """Plays exchanges in order, the last one of a kind again and again; with `record` it asks the network and writes
    down.
    """

    def __init__(self, given: Sequence[Mapping[str, Any]], record: bool) -> None:
        self._given, self._record = list(given), record
        self._used: set[int] = set()
        self._lock = threading.Lock()
        self.recorded: list[dict[str, Any]] = []
        self.unmatched: list[str] = []

    def heard(self, limit: int) -> str:
        """What was recorded and what had no answer, as JSON."""
        try:
            return encode({"recorded": self.recorded, "unmatched": self.unmatched}, limit=limit)
        except NotJsonError as error:
            return encode({"recorded": [], "unmatched": [f"(too much to record: {error.message})"]})

    def answer(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes] | None:
        """Status, headers and body for a request; None when there is none (noted in `unmatched`)."""
        if self._record:
            return self._fetched(method, url, headers, body)
        with self._lock:
            fitting = [n for n, one in enumerate(self._given) if _fits(one["request"], method, url, body)]
            if not fitting:
                self.unmatched.append(f"{method} {url}")
                return None
            number = next((n for n in fitting if n not in self._used), fitting[-1])
            self._used.add(number)
        return _response(self._given[number]["response"])

    def _fetched(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        scheme, _, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        plain = {
            name: value for name, value in headers.items() if name.lower() not in ("accept-encoding", "connection")
        }
        connection = http.client.HTTPConnection(host, timeout=_TIMEOUT)
        connection.sock = _socket(scheme, connection.host, connection.port if ":" in host else None)
        try:
            connection.request(method, slash + path or "/", body or None, {**plain, "Accept-Encoding": "identity"})
            got = connection.getresponse()
            content = got.read()
        finally:
            connection.close()
        kept = {name.lower(): value for name, value in got.getheaders() if name.lower() in _KEPT_HEADERS}
        request = {"method": method, "url": url, **(_body(body, plain.get("Content-Type", "")) if body else {})}
        response = {"status": got.status, "headers": kept, **_body(content, kept.get("content-type", ""))}
        with self._lock:
            self.recorded.append({"request": request, "response": response})
        return got.status, kept, content


def _socket(scheme: str, host: str, port: int | None) -> socket.socket:
    """A real connection, for recording."""
    import ssl

    plain = socket.create_connection((host, port or (443 if scheme == "https" else 80)), timeout=_TIMEOUT)
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host) if scheme == "https" else plain


def install(exchanges: Exchanges) -> None:
    """From here on, HTTP goes through `exchanges`."""
    _replace_connects(http.client, exchanges)
    sys.meta_path.insert(0, _AfterImport({
        "urllib3.connection": lambda module: _replace_connects(module, exchanges),
        "httpx": lambda module: _replace_transports(module, exchanges),
    }))  # fmt: skip


def _replace_connects(module: Any, exchanges: Exchanges) -> None:
    for name, scheme in (("HTTPConnection", "http"), ("HTTPSConnection", "https")):
        kind = getattr(module, name, None)
        if kind is not None:
            kind.connect = _connecting(scheme, exchanges)


def _connecting(scheme: str, exchanges: Exchanges) -> Callable[[Any], None]:
    def connect(self: Any) -> None:
        mine, other = socket.socketpair()
        self.sock = mine
        self.is_verified = True  # urllib3 warns otherwise
        port = "" if self.port in (None, 80, 443) else f":{self.port}"
        serving = threading.Thread(target=_serve, args=(other, f"{scheme}://{self.host}{port}", exchanges), daemon=True)
        serving.start()

    return connect


def _serve(end: socket.socket, origin: str, exchanges: Exchanges) -> None:
    """Answer the requests on one end of a pair until the other end closes."""
    with end, end.makefile("rb") as reader:
        while True:
            line = reader.readline().decode("latin-1").split()
            if len(line) < 2:
                return
            headers = dict(http.client.parse_headers(reader).items())
            given = {name.lower(): value for name, value in headers.items()}
            body = (
                _chunks(reader)
                if "chunked" in given.get("transfer-encoding", "")
                else reader.read(int(given.get("content-length", 0)))
            )
            url = line[1] if "://" in line[1] else origin + line[1]
            found = exchanges.answer(line[0], url, headers, body)
            status, more, content = (
                found if found is not None else (501, {"content-type": "text/plain"}, _nothing(line[0], url).encode())
            )
            head = "".join(f"{name}: {value}\r\n" for name, value in more.items())
            reason = http.client.responses.get(status, "Unknown")
            end.sendall(f"HTTP/1.1 {status} {reason}\r\n{head}content-length: {len(content)}\r\n\r\n".encode("latin-1"))
            if line[0] != "HEAD":
                end.sendall(content)


def _chunks(reader: Any) -> bytes:
    parts = []
    while size := int(reader.readline().split(b";")[0], 16):
        parts.append(reader.read(size))
        reader.readline()
    reader.readline()
    return b"".join(parts)


def _replace_transports(httpx: Any, exchanges: Exchanges) -> None:
    def respond(request: Any, body: bytes) -> Any:
        found = exchanges.answer(request.method, str(request.url), dict(request.headers), body)
        if found is None:
            raise httpx.ConnectError(_nothing(request.method, str(request.url)), request=request)
        status, headers, content = found
        return httpx.Response(status, headers=headers, content=content, request=request)

    def handle_request(_self: Any, request: Any) -> Any:
        return respond(request, request.read())

    async def handle_async_request(_self: Any, request: Any) -> Any:
        return respond(request, await request.aread())

    httpx.HTTPTransport.handle_request = handle_request
    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request


class _AfterImport:
    """Does something with a module right after its import."""

    def __init__(self, actions: Mapping[str, Callable[[Any], None]]) -> None:
        self._actions = dict(actions)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        action = self._actions.pop(name, None)
        if action is None:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None and spec.loader is not None:
                spec.loader.exec_module = _both(spec.loader.exec_module, action)  # type: ignore[method-assign, assignment]
                return spec
        return None


def _both(first: Callable[[Any], None], second: Callable[[Any], None]) -> Callable[[Any], None]:
    def exec_module(module: Any) -> None:
        first(module)
        second(module)

    return exec_module


def _nothing(method: str, url: str) -> str:
    return f"no exchange of the case's `http` fits {method} {url}"


def _fits(wanted: Mapping[str, Any], method: str, url: str, body: bytes) -> bool:
    if wanted.get("method", "GET") != method or not _like(str(wanted["url"]), url):
        return False
    if "json" in wanted:
        try:
            return bool(json.loads(body) == wanted["json"])
        except ValueError:
            return False
    return "body" not in wanted or _like(str(wanted["body"]), body.decode("utf-8", "replace"))


def _like(wanted: str, given: str) -> bool:
    """Equal, where *** stands for anything."""
    if _WILD not in wanted:
        return wanted == given
    import re

    return re.fullmatch(".*".join(re.escape(part) for part in wanted.split(_WILD)), given, re.DOTALL) is not None


def _response(given: Mapping[str, Any]) -> tuple[int, dict[str, str], bytes]:
    headers = {str(name).lower(): str(value) for name, value in (given.get("headers") or {}).items()}
    if "json" in given:
        headers.setdefault("content-type", "application/json")
        content = json.dumps(given["json"]).encode()
    elif "base64" in given:
        content = base64.b64decode(given["base64"])
    else:
        content = str(given.get("body", "")).encode()
    return int(given.get("status", 200)), headers, content


def _body(content: bytes, kind: str) -> dict[str, Any]:
    """A body as it is written down: JSON, text or Base64."""
    if not content:
        return {}
    if "json" in kind:
        try:
            return {"json": json.loads(encode(json.loads(content)))}
        except (ValueError, NotJsonError):  # no JSON after all, or none that can be written down as such
            return {"base64": base64.b64encode(content).decode("ascii")}
    try:
        return {"body": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode("ascii")}
