"""The client of the API against a server and a network that misbehave: what is repeated, what is said, what is never
sent.
"""

from __future__ import annotations

import base64
import gzip
import json
import ssl
import threading
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

from lua_cli.errors import AuthError, ForbiddenError, LuaError, NotFoundError, UnavailableError
from lua_cli.project.credentials import Key
from lua_cli.registry import api
from lua_cli.registry.http import HttpRegistry
from lua_cli.registry.refusals import DeployedMeanwhileError, VersionTakenError
from lua_cli.registry.sending import Policy
from tests.registry.api_server import KEY, ApiServer, Fault
from tests.registry.sample import AGENT, submission

SKILLS = "GET /developer/skills/acme"


@pytest.fixture(autouse=True)
def no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ApiServer]:
    running = ApiServer(tmp_path)
    yield running
    running.close()


class Clock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def policy(self, **more: Any) -> Policy:
        return Policy(sleep=self.sleep, clock=lambda: self.now, chance=lambda: 1.0, **more)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(server: ApiServer, clock: Clock) -> Iterator[HttpRegistry]:
    with HttpRegistry(server.address, Key(KEY, "LUA_API_KEY"), policy=clock.policy()) as registry:
        yield registry


def refused(call: Callable[[], object], kind: type[LuaError] = LuaError) -> LuaError:
    """The error of a call: one line, a hint of one line, and the key nowhere in it or its traceback."""
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert "\n" not in error.message and "\n" not in (error.hint or "")
    shown = "".join(traceback.format_exception(error)) + repr(error) + (error.hint or "")
    assert KEY not in shown
    return error


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_pass_is_tried_again_with_growing_waits(
    server: ApiServer, client: HttpRegistry, clock: Clock, status: int
) -> None:
    server.faults.append(Fault(SKILLS, status=status, body=b'{"success":false,"error":{"message":"busy"}}', times=3))
    assert client.skills(AGENT) == ()
    assert clock.waits == [1.0, 2.0, 4.0]
    assert len(server.calls(SKILLS)) == 4


def test_after_three_repeats_it_is_unavailable(server: ApiServer, client: HttpRegistry, clock: Clock) -> None:
    server.faults.append(Fault(SKILLS, status=503, body=b'{"success":false,"error":{"message":"deploying"}}', times=9))
    error = refused(lambda: client.skills(AGENT), UnavailableError)
    assert error.message == f"{server.address} does not answer the call: deploying (status 503)"
    assert len(server.calls(SKILLS)) == 4


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (400, LuaError, "refused: because (status 400)"),
        (401, AuthError, "does not accept the key from LUA_API_KEY: because"),
        (403, ForbiddenError, "does not allow that: because"),
        (404, NotFoundError, "because"),
        (409, LuaError, "refused: because (status 409)"),
        (413, LuaError, "takes no artifact of this size"),
        (422, LuaError, "refused: because (status 422)"),
        (500, UnavailableError, "does not answer the call: because (status 500)"),
        (507, LuaError, "has no space left: because"),
    ],
)
def test_what_will_not_pass_fails_at_once(
    server: ApiServer, client: HttpRegistry, clock: Clock, status: int, kind: type[LuaError], said: str
) -> None:
    server.faults.append(Fault(SKILLS, status=status, body=b'{"success":false,"error":{"message":"because"}}', times=9))
    error = refused(lambda: client.skills(AGENT), kind)
    assert type(error) is kind
    assert said in error.message
    assert (clock.waits, len(server.calls(SKILLS))) == ([], 1)


@pytest.mark.parametrize("ask", ["seconds", "date", "body"])
def test_a_server_that_asks_for_a_pause_gets_it(
    server: ApiServer, client: HttpRegistry, clock: Clock, ask: str
) -> None:
    when = datetime.now(UTC) + timedelta(seconds=20)
    headers = {
        "seconds": {"Retry-After": "20"},
        "date": {"Retry-After": format_datetime(when, usegmt=True)},
        "body": {},
    }[ask]
    body = json.dumps({"success": False, "error": {"message": "slowly", "retryAfterSeconds": 20}}).encode()
    server.faults.append(Fault(SKILLS, status=429, headers=headers, body=body))
    assert client.skills(AGENT) == ()
    (wait,) = clock.waits
    assert 15 < wait <= 20


@pytest.mark.parametrize("asked", ["61", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_pause_of_more_than_a_minute_is_not_waited_for(
    server: ApiServer, client: HttpRegistry, clock: Clock, asked: str
) -> None:
    body = b'{"success":false,"error":{"message":"come back tomorrow"}}'
    server.faults.append(Fault(SKILLS, status=429, headers={"Retry-After": asked}, body=body))
    error = refused(lambda: client.skills(AGENT), UnavailableError)
    assert "come back tomorrow (status 429)" in error.message
    assert clock.waits == []


@pytest.mark.parametrize("asked", ["soon", "-5", "", "Thu, 99 Foo"])
def test_a_pause_that_is_none_is_passed_over(server: ApiServer, client: HttpRegistry, clock: Clock, asked: str) -> None:
    server.faults.append(Fault(SKILLS, status=503, headers={"Retry-After": asked}, body=b"{}"))
    client.skills(AGENT)
    assert clock.waits == [1.0]


def test_repeats_end_with_the_total_time(server: ApiServer) -> None:
    clock = Clock()
    server.faults.append(Fault(SKILLS, status=503, body=b'{"success":false,"error":{"message":"no"}}', times=9))
    with HttpRegistry(server.address, Key(KEY, "x"), policy=clock.policy(total=2.0)) as client:
        refused(lambda: client.skills(AGENT), UnavailableError)
    assert clock.waits == [1.0]


@pytest.mark.parametrize("drop", ["before", "after"])
@pytest.mark.parametrize("what", ["POST .*/skills/acme$", "check-blobs", "upload-urls", "PUT /blobs", "/version$"])
def test_a_push_over_a_breaking_connection_is_one_version(
    server: ApiServer, client: HttpRegistry, clock: Clock, what: str, drop: str
) -> None:
    server.faults.append(Fault(what, drop=drop))
    stored = client.put(AGENT, submission())
    assert stored.record.version == "1.0.0"
    assert clock.waits == [1.0], "one call was repeated"
    (skill,) = client.skills(AGENT)
    assert [record.version for record in skill.versions] == ["1.0.0"]
    assert client.artifact(AGENT, "orders", "1.0.0") == submission().content


@pytest.mark.parametrize("drop", ["before", "after"])
def test_a_deploy_over_a_breaking_connection_is_one_entry(server: ApiServer, client: HttpRegistry, drop: str) -> None:
    client.put(AGENT, submission())
    server.faults.append(Fault("/publish", drop=drop))
    assert client.deploy(AGENT, "orders", "1.0.0", seen=0, key="k").number == 1
    assert len(client.history(AGENT, "orders")) == 1


def test_every_post_has_a_key_that_its_repeats_keep(server: ApiServer, client: HttpRegistry) -> None:
    server.faults.append(Fault("POST .*/version$", drop="after"))
    client.put(AGENT, submission())
    keys = [(call.path, call.headers["X-Idempotency-Key"]) for call in server.calls("^POST")]
    assert len(keys) == 5
    assert keys[-1] == keys[-2], "the repeat of the version"
    assert len({key for _, key in keys}) == 4


def test_nothing_is_uploaded_that_is_there(server: ApiServer, client: HttpRegistry) -> None:
    client.put(AGENT, submission())
    client.put(AGENT, submission("1.0.1", base="1.0.0"))
    assert len(server.calls("PUT /blobs")) == 1
    before = len(server.log)
    assert not client.put(AGENT, submission("1.0.1", base="1.0.0")).created
    assert [call.method for call in server.log[before:]] == ["GET"]


def test_an_upload_says_its_digest_and_how_far_it_is(server: ApiServer) -> None:
    heard: list[tuple[str, int, int]] = []
    sent = submission(word="x" * 5000)
    with HttpRegistry(server.address, Key(KEY, "x"), progress=lambda *how_far: heard.append(how_far)) as client:
        client.put(AGENT, sent)
        assert client.artifact(AGENT, "orders", "1.0.0") == sent.content
    (call,) = server.calls("PUT /blobs")
    digest = sent.digest.removeprefix("sha256:")
    assert call.path == f"/blobs/{digest}"
    assert base64.b64decode(call.headers["x-amz-checksum-sha256"]).hex() == digest
    size = len(sent.content)
    assert {what for what, _, _ in heard} == {"orders 1.0.0"}
    assert {of for _, _, of in heard} == {size}
    assert heard[0][1] < size
    assert heard[-1][1] == size


def test_the_key_goes_to_its_own_address_alone(server: ApiServer, client: HttpRegistry, tmp_path: Path) -> None:
    store = ApiServer(tmp_path / "store")
    try:
        blob = submission().digest.removeprefix("sha256:")
        body = {"success": True, "data": {"urls": {blob: f"{store.address}/blobs/{blob}?signature=1"}, "headers": {}}}
        server.faults.append(Fault("upload-urls", status=200, body=json.dumps(body).encode()))
        server.faults.append(Fault("PUT /blobs", status=500))
        error = refused(lambda: client.put(AGENT, submission()), LuaError)
    finally:
        store.close()
    (upload,) = store.calls("PUT /blobs")
    assert "Authorization" not in upload.headers
    assert store.address in error.message and "signature" not in error.message
    assert all(call.headers["Authorization"] == f"Bearer {KEY}" for call in server.log)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(server: ApiServer, client: HttpRegistry, tmp_path: Path, status: int) -> None:
    other = ApiServer(tmp_path / "other")
    try:
        headers = {"Location": f"{other.address}/developer/skills/acme?token=1"}
        server.faults.append(Fault(SKILLS, status=status, headers=headers))
        error = refused(lambda: client.skills(AGENT), UnavailableError)
        assert error.message == f"{server.address} sends us to {other.address}: a key is not sent on"
        assert other.log == []
    finally:
        other.close()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><title>Log in to the hotel</title>", "is not the Lua API: it answered with a web page"),
        (b"not JSON", "is not the Lua API: it answered with something else"),
        (b"[]", "is not the Lua API"),
        (b"{}", "is not the Lua API"),
        (b"null", "is not the Lua API"),
        (b"\xff\xfe", "is not the Lua API"),
        (b"[" * 100_000, "is not the Lua API"),
        (b'{"success": true, "data": {"skills": 7}}', "does not understand (skills:"),
        (b'{"success": true, "data": {"skills": [{"id": 1}]}}', "does not understand (skills.0"),
        (b'{"success": true, "data": []}', "does not understand"),
        (b'{"success": true}', "does not understand"),
        (b'{"success": false, "error": "x"}', "is not the Lua API"),
    ],
)
def test_an_answer_that_is_none_of_the_api(server: ApiServer, client: HttpRegistry, body: bytes, said: str) -> None:
    server.faults.append(Fault(SKILLS, status=200, body=body))
    assert said in refused(lambda: client.skills(AGENT), UnavailableError).message


def test_a_web_page_instead_of_an_artifact(server: ApiServer, client: HttpRegistry) -> None:
    client.put(AGENT, submission())
    server.faults.append(Fault("/artifact", status=200, headers={"Content-Type": "text/html"}, body=b"<html>"))
    assert "is not the Lua API" in refused(lambda: client.artifact(AGENT, "orders", "1.0.0"), UnavailableError).message


def test_a_bomb_is_not_unpacked(server: ApiServer, client: HttpRegistry) -> None:
    bomb = gzip.compress(b"[" + b"0," * 10_000_000 + b"0]")
    server.faults.append(Fault(SKILLS, status=200, headers={"Content-Encoding": "gzip"}, body=bomb))
    error = refused(lambda: client.skills(AGENT), UnavailableError)
    assert "in an encoding that was not asked for" in error.message
    assert server.log[0].headers["Accept-Encoding"] == "identity"


def test_an_answer_without_end_is_cut_off(
    server: ApiServer, client: HttpRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "JSON_LIMIT", 1024 * 1024)
    server.faults.append(Fault(SKILLS, status=200, body=b" " * 2_000_000))
    assert "is larger than 1 MiB" in refused(lambda: client.skills(AGENT), UnavailableError).message


def test_a_body_that_is_cut_short_is_asked_for_again(server: ApiServer, client: HttpRegistry, clock: Clock) -> None:
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"
    server.faults.append(Fault(SKILLS, raw=cut))
    assert client.skills(AGENT) == ()
    server.faults.append(Fault(SKILLS, raw=cut, times=9))
    assert "the connection to" in refused(lambda: client.skills(AGENT), UnavailableError).message


@pytest.mark.parametrize("raw", [b"SSH-2.0-OpenSSH_9.6\r\n", b"\0" * 100, b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n"])
def test_another_protocol_is_one_line(server: ApiServer, client: HttpRegistry, raw: bytes) -> None:
    server.faults.append(Fault(SKILLS, raw=raw, times=9))
    assert "the connection to" in refused(lambda: client.skills(AGENT), UnavailableError).message


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_dripping_answer_ends_with_the_total_time(server: ApiServer, part: str) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    dripping = head + b" " * 100_000 if part == "body" else head[:17] + b"X-Drip: " + b"a" * 60_000
    server.faults.append(Fault(SKILLS, raw=dripping, drip=True))
    with HttpRegistry(server.address, Key(KEY, "x"), policy=Policy(total=0.5, repeats=0)) as client:
        error = refused(lambda: client.skills(AGENT), UnavailableError)
    assert error.message == f"{server.address} did not answer within 0.5 s"


def test_an_early_no_to_an_upload_is_heard(server: ApiServer, client: HttpRegistry) -> None:
    body = b'{"success":false,"error":{"message":"at most 1 MiB"}}'
    server.faults.append(Fault("PUT /blobs", status=413, body=body, times=9))
    error = refused(lambda: client.put(AGENT, submission(word="x" * 200_000)))
    assert "takes no artifact of this size: at most 1 MiB" in error.message or "broke" in error.message


def test_a_server_that_is_not_there(tmp_path: Path, clock: Clock) -> None:
    gone = ApiServer(tmp_path)
    gone.close()
    with HttpRegistry(gone.address, None, policy=clock.policy()) as client:
        error = refused(lambda: client.skills(AGENT), UnavailableError)
    assert error.message.startswith(f"cannot connect to {gone.address}: ")
    assert len(clock.waits) == 3


def test_no_key_and_a_wrong_key(server: ApiServer) -> None:
    with HttpRegistry(server.address, None) as client:
        error = refused(lambda: client.skills(AGENT), AuthError)
        assert error.message == f"no key for {server.address}"
        assert "lua auth configure" in (error.hint or "")
    with HttpRegistry(server.address, Key("wrong", "LUA_API_KEY")) as client:
        error = refused(lambda: client.skills(AGENT), AuthError)
        assert "does not accept the key from LUA_API_KEY: unknown key" in error.message


def test_a_key_that_expires_in_the_middle_of_a_push(server: ApiServer, client: HttpRegistry) -> None:
    expired = b'{"success":false,"error":{"message":"the key has expired"}}'
    server.faults.append(Fault("POST .*/version$", status=401, body=expired))
    refused(lambda: client.put(AGENT, submission()), AuthError)
    assert [len(skill.versions) for skill in client.skills(AGENT)] == [0]
    assert client.put(AGENT, submission()).created, "the next push goes on where that one ended"


def test_another_accounts_agent_is_forbidden(server: ApiServer, client: HttpRegistry) -> None:
    for call in (lambda: client.skills("theirs"), lambda: client.put("theirs", submission())):
        assert "the key is not for theirs" in refused(call, ForbiddenError).message


def test_a_conflict_with_the_same_content_is_success(server: ApiServer, client: HttpRegistry, tmp_path: Path) -> None:
    """Another push of the same content comes in between the look and the write."""
    with HttpRegistry(server.address, Key(KEY, "x")) as other:
        server.faults.append(
            Fault("POST .*/version$", status=409, body=b'{"success":false,"error":{"message":"there"}}')
        )
        first_look = client.skill

        def look_then_lose(agent: str, name: str) -> Any:
            seen = first_look(agent, name)
            client.skill = first_look  # type: ignore[method-assign]
            server.faults, waiting = [], server.faults
            other.put(AGENT, submission())
            server.faults = waiting
            return seen

        client.skill = look_then_lose  # type: ignore[method-assign]
        stored = client.put(AGENT, submission())
    assert (stored.created, stored.record.version) == (False, "1.0.0")


def test_a_conflict_with_other_content_is_said_as_by_the_embedded_registry(
    server: ApiServer, client: HttpRegistry
) -> None:
    client.put(AGENT, submission())
    error = refused(lambda: client.put(AGENT, submission(word="other")), VersionTakenError)
    assert error.message.startswith("orders 1.0.0 exists already with other content (pushed by mo, ")
    client.deploy(AGENT, "orders", "1.0.0", seen=0, key="a")
    error = refused(lambda: client.deploy(AGENT, "orders", "1.0.0", seen=0, key="b"), DeployedMeanwhileError)
    assert error.message.startswith("orders 1.0.0 was deployed meanwhile by mo, ")


def test_content_that_the_server_changed_is_not_taken(server: ApiServer, client: HttpRegistry) -> None:
    client.put(AGENT, submission())
    server.faults.append(Fault("/artifact", status=200, body=submission(word="other").content))
    error = refused(lambda: client.artifact(AGENT, "orders", "1.0.0"))
    assert "the content of orders 1.0.0 is not what was pushed" in error.message


def test_a_server_that_keeps_no_records_of_its_own(server: ApiServer, client: HttpRegistry) -> None:
    """The platform: no digests, no history, no facts. Versions can be pushed, listed and deployed all the same."""
    server.opaque = True
    stored = client.put(AGENT, submission())
    assert (stored.created, stored.record.digest) == (True, submission().digest)
    (skill,) = client.skills(AGENT)
    assert [(record.version, record.digest) for record in skill.versions] == [("1.0.0", "")]
    assert client.deploy(AGENT, "orders", "1.0.0", seen=0, key="k").version == "1.0.0"
    skill = client.skills(AGENT)[0]
    assert skill.live is not None and skill.live.version == "1.0.0"
    assert client.history(AGENT, "orders") == ()
    assert client.facts(AGENT, "orders", "1.0.0").tools == ()
    assert "has no artifact" in refused(lambda: client.artifact(AGENT, "orders", "1.0.0"), NotFoundError).message


def test_versions_of_other_clients_that_are_no_semver_are_passed_over(server: ApiServer, client: HttpRegistry) -> None:
    versions = [{"version": "sandbox"}, {"version": "1.0.0", "active": True, "createdAt": None, "tools": ["a"]}]
    body = {"success": True, "data": {"skills": [{"id": "x", "name": "orders", "versions": versions}]}}
    server.faults.append(Fault(SKILLS, status=200, body=json.dumps(body).encode()))
    (skill,) = client.skills(AGENT)
    assert [(record.version, record.tools) for record in skill.versions] == [("1.0.0", ("a",))]


def test_names_are_quoted_in_addresses(server: ApiServer) -> None:
    server.keys[KEY] = ["a/b ü"]
    with HttpRegistry(server.address, Key(KEY, "x")) as client:
        client.put("a/b ü", submission("1.0.0+build"))
        assert client.artifact("a/b ü", "orders", "1.0.0+build") == submission().content


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def tls_server(folder: Path, authority: trustme.CA, **more: Any) -> ApiServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", **more).configure_cert(context)
    return ApiServer(folder, tls=context)


def test_a_private_authority_wants_to_be_named(
    tmp_path: Path, authority: trustme.CA, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = tls_server(tmp_path, authority)
    try:
        with HttpRegistry(server.address, Key(KEY, "x"), policy=clock.policy()) as client:
            error = refused(lambda: client.skills(AGENT), UnavailableError)
        assert f"the certificate of {server.address} is signed by an unknown authority" in error.message
        assert "SSL_CERT_FILE" in (error.hint or "")
        assert clock.waits == [], "trying again would not help"
        authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        with HttpRegistry(server.address, Key(KEY, "x")) as client:
            assert client.skills(AGENT) == ()
    finally:
        server.close()


def test_a_certificate_out_of_its_time_asks_about_the_clock(
    tmp_path: Path, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = tls_server(tmp_path, authority, not_after=datetime.now(UTC) - timedelta(days=2))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    try:
        with HttpRegistry(server.address, Key(KEY, "x")) as client:
            error = refused(lambda: client.skills(AGENT), UnavailableError)
    finally:
        server.close()
    assert "is out of its time: certificate has expired" in error.message
    assert "is the clock right?" in (error.hint or "")


def test_certificates_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nothing.pem"))
    error = refused(lambda: HttpRegistry("https://lua.example.com", None), UnavailableError)
    assert "nothing.pem cannot be read" in error.message


class _Proxy(BaseHTTPRequestHandler):
    """A proxy that answers itself."""

    seen: list[tuple[str, str]]
    status = 200

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Proxy-Authorization", "")))
        body = b'{"success": true, "data": {"skills": []}}'
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        self.seen.append((self.path, self.headers.get("Proxy-Authorization", "")))
        self.send_response(self.status)
        self.end_headers()


@pytest.fixture
def proxy() -> Iterator[tuple[str, type[_Proxy]]]:
    handler = type("Handler", (_Proxy,), {"seen": []})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"127.0.0.1:{running.server_address[1]}", handler
    running.shutdown()
    running.server_close()
    thread.join()


def test_the_proxy_of_the_environment_is_used_and_no_proxy_is_heeded(
    server: ApiServer, proxy: tuple[str, type[_Proxy]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, handler = proxy
    monkeypatch.setenv("HTTP_PROXY", f"http://mo:s3cret@{address}")
    with HttpRegistry("http://lua.test", Key(KEY, "x")) as client:
        assert client.skills(AGENT) == ()
    ((path, log_in),) = handler.seen
    assert path == "http://lua.test/developer/skills/acme"
    assert base64.b64decode(log_in.removeprefix("Basic ")) == b"mo:s3cret"
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with HttpRegistry(server.address, Key(KEY, "x")) as client:
        assert client.skills(AGENT) == ()
    assert len(handler.seen) == 1


def test_a_proxy_that_refuses_and_one_that_is_not_there(
    proxy: tuple[str, type[_Proxy]], monkeypatch: pytest.MonkeyPatch, clock: Clock, tmp_path: Path
) -> None:
    address, handler = proxy
    handler.status = 407
    monkeypatch.setenv("HTTPS_PROXY", f"http://mo:s3cret@{address}")
    with HttpRegistry("https://lua.test", Key(KEY, "x"), policy=clock.policy()) as client:
        error = refused(lambda: client.skills(AGENT), UnavailableError)
    assert "the proxy refused the way to https://lua.test" in error.message and "s3cret" not in error.message
    gone = ApiServer(tmp_path)
    gone.close()
    monkeypatch.setenv("HTTPS_PROXY", gone.address)
    with HttpRegistry("https://lua.test", Key(KEY, "x"), policy=clock.policy()) as client:
        error = refused(lambda: client.skills(AGENT), UnavailableError)
    assert "cannot connect" in error.message


def test_a_socks_proxy_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    error = refused(lambda: HttpRegistry("https://lua.test", None), UnavailableError)
    assert "SOCKS" in error.message and "socks" in (error.hint or "")
