"""A small server of the platform's API on loopback, over an embedded registry, with faults on demand: what the client
is tested against.

Every request is one line in `log`. A fault is taken once, by the first request that it fits.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lua_cli.bundle.canonical import digest_of
from lua_cli.errors import LuaError, NotFoundError
from lua_cli.registry.embedded import EmbeddedRegistry
from lua_cli.registry.facts import facts_to_json
from lua_cli.registry.protocol import SkillFacts, SkillRecord, Submission, ToolFacts, VersionRecord
from lua_cli.registry.refusals import ConflictError, DeployedMeanwhileError, YankedError

KEY = "lua_test_0123456789"


@dataclass
class Fault:
    """What goes wrong with the first request whose "METHOD /path" matches `pattern`.

    status, headers, body   this answer, instead of the right one
    drop                    "before" or "after" the request is done: the connection breaks with no answer
    raw                     these bytes on the connection, and its end; `drip` sends them one by one, with pauses
    """

    pattern: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    drop: str = ""
    raw: bytes = b""
    drip: bool = False
    times: int = 1


@dataclass
class Call:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ApiServer:
    """`address` while it runs. `agents` are those that the key may use."""

    def __init__(self, folder: Path, *, tls: ssl.SSLContext | None = None) -> None:
        self.path = folder / "server" / "registry.db"
        self.keys: dict[str, list[str]] = {KEY: ["acme"]}
        self.names: dict[str, str] = {}
        self.every_agent = False
        self.blobs: dict[str, bytes] = {}
        self.skills: set[tuple[str, str]] = set()
        self.answered: dict[str, tuple[int, Any]] = {}
        self.faults: list[Fault] = []
        self.log: list[Call] = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.opaque = False  # answers as the platform does: no digests, no history, no facts
        self.variables: dict[str, str] | None = None  # those of every agent; None: there is no such call
        server = self

        class Handler(_Handler):
            api = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self.address = f"http{'s' if tls else ''}://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def calls(self, pattern: str) -> list[Call]:
        return [call for call in self.log if re.search(pattern, f"{call.method} {call.path}")]

    def let_pass(self, pattern: str, times: int) -> None:
        """The next requests of that kind are answered as ever; faults that were added later wait for those after them."""
        self.faults.append(Fault(pattern, times=times))

    def fault(self, line: str) -> Fault | None:
        with self.lock:
            for fault in self.faults:
                if fault.times and re.search(fault.pattern, line):
                    fault.times -= 1
                    return fault
        return None


class _Handler(BaseHTTPRequestHandler):
    api: ApiServer
    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        with contextlib.suppress(OSError, ssl.SSLError):  # a client that goes away
            super().handle()

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        fault = self.api.fault(f"{self.command} {self.path}")
        early = fault is not None and fault.status == 413  # the body is not read
        body = b"" if early else self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.api.log.append(Call(self.command, self.path, dict(self.headers), body))
        if fault and (fault.raw or fault.drop == "before"):
            self._send_raw(fault)
            self._break()
        elif fault and fault.status:
            self._end(fault.status, fault.body, fault.headers | ({"Connection": "close"} if early else {}))
        else:
            status, data = self._answer(body)
            if fault and fault.drop == "after":
                self._break()
            elif isinstance(data, bytes):
                self._end(status, data, {"Content-Type": "application/octet-stream"})
            else:
                self._end(status, json.dumps(data).encode(), {"Content-Type": "application/json"})

    do_GET = do_POST = do_PUT = do_DELETE = _serve

    def _send_raw(self, fault: Fault) -> None:
        for piece in [fault.raw[i : i + 1] for i in range(len(fault.raw))] if fault.drip else [fault.raw]:
            try:
                self.wfile.write(piece)
            except OSError:  # the client has had enough
                return
            if fault.drip:
                self.api.stopping.wait(0.02)

    def _break(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _end(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if headers.get("Connection") == "close":
            self.close_connection = True

    def _answer(self, body: bytes) -> tuple[int, Any]:
        if self.path.startswith("/blobs/"):
            return self._blob(body)
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if key not in self.api.keys:
            return _error(401, "unknown key")
        repeated = self.headers.get("X-Idempotency-Key", "")
        with self.api.lock:
            if repeated and repeated in self.api.answered:
                return self.api.answered[repeated]
            try:
                with EmbeddedRegistry(self.api.path, author="mo") as registry:
                    answer = self._route(registry, key, json.loads(body) if body else {})
            except ConflictError as error:
                answer = _error(412 if isinstance(error, DeployedMeanwhileError) else 409, error.message)
            except YankedError as error:
                answer = _error(409, error.message)
            except NotFoundError as error:
                answer = _error(404, error.message)
            except LuaError as error:
                answer = _error(422, error.message)
            if repeated and answer[0] in (200, 201):
                self.api.answered[repeated] = answer
            return answer

    def _blob(self, body: bytes) -> tuple[int, Any]:
        name = self.path.removeprefix("/blobs/")
        if digest_of(body) != f"sha256:{name}":
            return _error(422, "the content does not have this digest")
        self.api.blobs[name] = body
        return 200, {"success": True, "data": {}}

    def _route(self, registry: EmbeddedRegistry, key: str, body: Any) -> tuple[int, Any]:
        if self.path == "/developer/me":
            agents = [{"id": agent, "name": self.api.names.get(agent, agent.title())} for agent in self.api.keys[key]]
            return _ok(
                {
                    "key": "ci",
                    "agents": agents,
                    "everyAgent": self.api.every_agent,
                    "scopes": ["read", "push", "deploy"],
                }
            )
        if self.api.variables is not None and re.fullmatch("/developer/agents/[^/]+/env", self.path):
            return _ok({"agentId": "acme", "data": self.api.variables})
        for pattern, handle in _ROUTES:
            found = re.fullmatch(pattern, f"{self.command} {self.path}")
            if found:
                agent, *rest = map(unquote, found.groups())
                if agent not in self.api.keys[key]:
                    return _error(403, f"the key is not for {agent}")
                return handle(self.api, registry, agent, rest, body, self.headers)
        return _error(404, f"no such call: {self.command} {self.path}")


def _ok(data: Any, status: int = 200) -> tuple[int, Any]:
    return status, {"success": True, "data": data}


def _error(status: int, message: str) -> tuple[int, Any]:
    return status, {"success": False, "error": {"message": message, "statusCode": status}}


def _skills(api: ApiServer, registry: EmbeddedRegistry, agent: str, *_: Any) -> tuple[int, Any]:
    known = {skill.name: skill for skill in registry.skills(agent)}
    empty = [SkillRecord("", name) for owner, name in sorted(api.skills) if owner == agent and name not in known]
    return _ok({"skills": [_skill(api, skill) for skill in [*known.values(), *empty]]})


def _skill(api: ApiServer, skill: SkillRecord) -> dict[str, Any]:
    live = skill.live.version if skill.live else None
    body: dict[str, Any] = {
        "id": f"id-{skill.name}",
        "name": skill.name,
        "versions": [_version(api, v) | {"active": v.version == live} for v in skill.versions],
    }
    if skill.live and not api.opaque:
        body["live"] = _deployment(skill.live)
    return body


def _version(api: ApiServer, record: VersionRecord) -> dict[str, Any]:
    if api.opaque:
        return {"version": record.version}
    return {
        "version": record.version,
        "digest": record.digest,
        "size": record.size,
        "createdAt": record.created,
        "author": record.author,
        "tools": [{"name": name} for name in record.tools],
        "yanked": record.yanked,
    }


def _deployment(entry: Any) -> dict[str, Any]:
    return {
        "entry": entry.number,
        "version": entry.version,
        "previous": entry.previous,
        "createdAt": entry.created,
        "author": entry.author,
    }


def _create(api: ApiServer, registry: EmbeddedRegistry, agent: str, _: Any, body: Any, __: Any) -> tuple[int, Any]:
    if (agent, body["name"]) in api.skills:
        return _error(409, "the skill is there")
    api.skills.add((agent, body["name"]))
    return _ok({"id": f"id-{body['name']}", "name": body["name"]}, 201)


def _check(api: ApiServer, _r: Any, _a: str, _p: Any, body: Any, _h: Any) -> tuple[int, Any]:
    return _ok({"missing": [name for name in body["hashes"] if name not in api.blobs]})


def _urls(api: ApiServer, _r: Any, _a: str, _p: Any, body: Any, _h: Any) -> tuple[int, Any]:
    return _ok(
        {
            "urls": {name: f"{api.address}/blobs/{name}" for name in body["hashes"]},
            "headers": {name: {"x-amz-checksum-sha256": body["checksums"][name]} for name in body["hashes"]},
        }
    )


def _put(
    api: ApiServer, registry: EmbeddedRegistry, agent: str, parts: list[str], body: Any, _h: Any
) -> tuple[int, Any]:
    digest = body["artifact"]["digest"]
    content = api.blobs.get(digest.removeprefix("sha256:"))
    if content is None or {tool["codeS3Hash"] for tool in body["tools"]} - {digest.removeprefix("sha256:")}:
        return _error(422, "the content is missing")
    tools = tuple(ToolFacts(t["name"], t["description"], t["inputSchema"], "condition" in t) for t in body["tools"])
    facts = SkillFacts(body["description"], body["context"], "", "conditionS3Hash" in body, tools)
    name = parts[0].removeprefix("id-")
    stored = registry.put(
        agent, Submission(name, body["version"], content, digest, facts, body.get("base"), body.get("unchecked", True))
    )
    data = {"versionId": "v", "skillId": parts[0], "version": stored.record.version}
    if not api.opaque:
        data["record"] = _version(api, stored.record)
    return _ok(data, 201 if stored.created else 200)


def _facts(api: ApiServer, registry: EmbeddedRegistry, agent: str, parts: list[str], *_: Any) -> tuple[int, Any]:
    if api.opaque:
        return _error(404, "no such call")
    return _ok(json.loads(facts_to_json(registry.facts(agent, parts[0].removeprefix("id-"), parts[1]))))


def _artifact(_: Any, registry: EmbeddedRegistry, agent: str, parts: list[str], *__: Any) -> tuple[int, Any]:
    return 200, registry.artifact(agent, parts[0].removeprefix("id-"), parts[1])


def _history(api: ApiServer, registry: EmbeddedRegistry, agent: str, parts: list[str], *_: Any) -> tuple[int, Any]:
    if api.opaque:
        return _error(404, "no such call")
    entries = registry.history(agent, parts[0].removeprefix("id-"))
    return _ok({"history": [_deployment(entry) for entry in entries]})


def _publish(
    api: ApiServer, registry: EmbeddedRegistry, agent: str, parts: list[str], _: Any, headers: Any
) -> tuple[int, Any]:
    name = parts[0].removeprefix("id-")
    skill = registry.skill(agent, name)
    seen = skill.seen if skill and api.opaque else int(headers["If-Match"].strip('"'))
    entry = registry.deploy(agent, name, parts[1], seen=seen, key=headers["X-Idempotency-Key"])
    data = {"message": "published", "skillId": parts[0], "activeVersionId": "v", "publishedAt": entry.created}
    return _ok(data if api.opaque else data | {"deployment": _deployment(entry)})


def _yank(
    api: ApiServer, registry: EmbeddedRegistry, agent: str, parts: list[str], body: Any, _: Any
) -> tuple[int, Any]:
    record = registry.yank(agent, parts[0].removeprefix("id-"), parts[1], yanked=body["yanked"])
    return _ok(_version(api, record))


_ROUTES: list[tuple[str, Callable[..., tuple[int, Any]]]] = [
    (r"GET /developer/skills/([^/]+)", _skills),
    (r"POST /developer/skills/([^/]+)", _create),
    (r"POST /developer/agents/([^/]+)/backup/check-blobs", _check),
    (r"POST /developer/agents/([^/]+)/backup/blob-upload-urls", _urls),
    (r"POST /developer/skills/([^/]+)/([^/]+)/version", _put),
    (r"GET /developer/skills/([^/]+)/([^/]+)/version/([^/]+)", _facts),
    (r"GET /developer/skills/([^/]+)/([^/]+)/version/([^/]+)/artifact", _artifact),
    (r"GET /developer/skills/([^/]+)/([^/]+)/history", _history),
    (r"PUT /developer/skills/([^/]+)/([^/]+)/([^/]+)/publish", _publish),
    (r"PUT /developer/skills/([^/]+)/([^/]+)/version/([^/]+)/yank", _yank),
]
