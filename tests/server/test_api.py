"""The API as a stranger meets it: keys and scopes, what arrives and is refused, repeated calls, limits."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lua_cli.records import replace
from lua_cli.registry.protocol import SkillFacts, ToolFacts
from tests.registry.sample import facts, submission
from tests.server.serving import Server

AGENT = "acme"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("api")).start()
    yield server
    server.close()


@pytest.fixture
def api(shared: Server) -> Iterator[httpx.Client]:
    with shared.http(shared.key()) as client:
        yield client


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> str:
    """An agent of the test's own."""
    return hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12]


def refused(answer: httpx.Response, status: int, code: str) -> Any:
    """The error of an answer, which has the API's form."""
    document = answer.json()
    assert (answer.status_code, document["error"]["code"]) == (status, code), document
    assert document["success"] is False and document["error"]["statusCode"] == status
    return document["error"]


def data(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    document = answer.json()
    assert document["success"] is True
    return document["data"]


def make_skill(api: httpx.Client, agent: str, name: str = "orders") -> str:
    return str(data(api.post(f"/developer/skills/{agent}", json={"name": name}), 201)["id"])


def upload(api: httpx.Client, agent: str, content: bytes, name: str = "") -> str:
    digest = hashlib.sha256(content).hexdigest()
    name = name or digest
    checksum = base64.b64encode(bytes.fromhex(digest)).decode()
    body = {"hashes": [name], "checksums": {name: checksum}}
    urls = data(api.post(f"/developer/agents/{agent}/backup/blob-upload-urls", json=body))
    put = httpx.put(urls["urls"][name], content=content, headers=urls["headers"][name], trust_env=False, timeout=60)
    assert data(put) == {"digest": f"sha256:{digest}", "size": len(content)}
    return digest


def version_body(word: str = "one", version: str = "1.0.0", **more: Any) -> tuple[dict[str, Any], bytes]:
    sent = submission(version, word)
    blob = sent.digest.removeprefix("sha256:")
    tools = [{"name": "get_order", "description": "x", "inputSchema": {}, "codeS3Hash": blob}]
    body = {"version": version, "tools": tools, "artifact": {"digest": sent.digest, "size": len(sent.content)}}
    return body | more, sent.content


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer lua_nope", "Basic bW86", "Bearer \u00fc"])
def test_without_a_key_that_is_known_nothing_is_said(shared: Server, header: str) -> None:
    with shared.http() as client:
        headers = {"Authorization": header.encode("utf-8")} if header else {}
        refused(client.get("/developer/me", headers=headers), 401, "unauthorised")  # type: ignore[arg-type]


def test_a_key_opens_its_agents_and_its_scopes_alone(shared: Server, agent: str) -> None:
    with shared.http(shared.key("reader", agent, scopes=["read"])) as reader:
        assert data(reader.get("/developer/me")) == {
            "everyAgent": False,
            "key": "reader",
            "agents": [{"id": agent, "name": agent}],
            "scopes": ["read"],
        }
        assert data(reader.get(f"/developer/skills/{agent}")) == {"skills": []}
        refused(reader.post(f"/developer/skills/{agent}", json={"name": "orders"}), 403, "scope")
        refused(reader.get("/developer/skills/another"), 403, "forbidden")
        refused(reader.get(f"/developer/agents/{agent}/env"), 403, "scope")
    with shared.http(shared.key("pusher", agent, scopes=["push"])) as pusher:
        skill = make_skill(pusher, agent)
        refused(pusher.put(f"/developer/skills/{agent}/{skill}/1.0.0/publish"), 403, "scope")


def test_an_artifact_is_shown_as_its_manifest_has_it_and_not_as_its_sender_says(api: httpx.Client, agent: str) -> None:
    skill = make_skill(api, agent)
    body, content = version_body(description="lies", context="lies")
    path = f"/developer/skills/{agent}/{skill}/version"
    refused(api.post(path, json=body), 422, "blob-missing")
    upload(api, agent, content)
    put = data(api.post(path, json=body), 201)
    assert put["record"]["author"] == "mo"
    assert data(api.post(path, json=body))["record"] == put["record"]
    said = data(api.get(f"{path}/1.0.0"))
    assert (said["description"], said["context"]) == ("Orders", "Use it.")
    assert said["tools"][0]["description"] == "Look up one order."
    fetched = api.get(f"{path}/1.0.0/artifact")
    assert fetched.content == content and fetched.headers["content-type"] == "application/octet-stream"
    other, other_content = version_body("two")
    upload(api, agent, other_content)
    error = refused(api.post(path, json=other), 409, "version-taken")
    assert error["details"] == {"version": "1.0.0", "digest": body["artifact"]["digest"]}
    assert "versions never change: push it as 1.0.1" in error["hint"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"artifact": {"digest": "sha256:" + "0" * 64, "size": 1}}, "tools-mismatch"),
        ({"artifact": {"digest": "sha256:" + "0" * 64, "size": 1}, "tools": []}, "blob-missing"),
        ({"tools": []}, "tools-mismatch"),
        ({"version": "v1"}, "invalid"),
        ({"version": 1}, "body-invalid"),
        ({"tools": [{"name": "no good", "codeS3Hash": "0" * 64}]}, "body-invalid"),
        ({"base": "1"}, "invalid"),
    ],
)
def test_what_does_not_agree_with_its_content_is_refused(
    api: httpx.Client, agent: str, change: dict[str, Any], code: str
) -> None:
    skill = make_skill(api, agent)
    body, content = version_body()
    upload(api, agent, content)
    refused(api.post(f"/developer/skills/{agent}/{skill}/version", json=body | change), 422, code)
    assert data(api.get(f"/developer/skills/{agent}"))["skills"][0]["versions"] == []


def test_a_secret_in_what_arrives_is_refused_and_never_shown(api: httpx.Client, agent: str) -> None:
    secret = "AKIA" + "Q3EGRIV5JL2NM7XW"
    body, content = version_body(secret)
    skill = make_skill(api, agent)
    upload(api, agent, content)
    put = f"/developer/skills/{agent}/{skill}/version"
    answer = api.post(put, json=body)
    error = refused(answer, 422, "secret-found")
    assert "agent.py:1 holds what looks like a secret: AWS Access Key (fingerprint " in error["message"]
    assert secret not in answer.text
    fingerprint = error["message"].rpartition("fingerprint ")[2].rstrip(")")
    body["artifact"]["allowedSecrets"] = [fingerprint]
    data(api.post(put, json=body), 201)


def test_a_secret_in_a_text_that_models_see_is_refused(api: httpx.Client, agent: str) -> None:
    secret = "AKIA" + "Q3EGRIV5JL2NM7XW"
    sent = submission(about=replace(facts("get_order"), context=f"Use the key {secret}."))
    upload(api, agent, sent.content)
    blob = sent.digest.removeprefix("sha256:")
    tools = [{"name": "get_order", "codeS3Hash": blob}]
    body = {"version": "1.0.0", "tools": tools, "artifact": {"digest": sent.digest, "size": len(sent.content)}}
    answer = api.post(f"/developer/skills/{agent}/{make_skill(api, agent)}/version", json=body)
    assert "the context:1 holds what looks like a secret" in refused(answer, 422, "secret-found")["message"]
    assert secret not in answer.text


def test_variables_are_not_wiped_by_a_call_without_a_body(api: httpx.Client, agent: str) -> None:
    env = f"/developer/agents/{agent}/env"
    data(api.post(env, json={"KEPT": "1"}))
    refused(api.post(env), 400, "body-missing")
    refused(api.post(env, content=b""), 400, "body-missing")
    assert data(api.get(env))["data"] == {"KEPT": "1"}
    assert data(api.post(env, json={}))["data"] == {}
    refused(api.post("/developer/agents/../env".replace("..", "%2E%2E"), json={"A": "1"}), 422, "invalid")


def test_a_key_of_another_deployment_is_no_answer(api: httpx.Client, agent: str) -> None:
    skill = make_skill(api, agent)
    for version in ("1.0.0", "2.0.0"):
        body, content = version_body(version, version)
        upload(api, agent, content)
        data(api.post(f"/developer/skills/{agent}/{skill}/version", json=body), 201)
    headers = {"X-Idempotency-Key": "same"}
    publish = f"/developer/skills/{agent}/{skill}/{{}}/publish"
    first = data(api.put(publish.format("1.0.0"), headers=headers))
    refused(api.put(publish.format("2.0.0"), headers=headers), 422, "idempotency-key-reused")
    assert data(api.put(publish.format("1.0.0"), headers=headers))["deployment"] == first["deployment"]


def test_half_of_a_surrogate_pair_is_no_text(api: httpx.Client, agent: str) -> None:
    body = b'{"name": "orders", "description": "\\ud800"}'
    for headers in ({}, {"X-Idempotency-Key": "half"}):
        refused(api.post(f"/developer/skills/{agent}", content=body, headers=headers), 400, "json-invalid")


def test_a_method_that_is_none_of_the_path(api: httpx.Client, agent: str) -> None:
    answer = api.request("BREW", f"/developer/skills/{agent}")
    refused(answer, 405, "method")
    assert answer.headers["allow"] == "GET, POST"
    assert "BREW" not in api.get("/metrics").text


def test_what_is_no_artifact_or_another_skills_is_refused(api: httpx.Client, agent: str) -> None:
    skill = make_skill(api, agent, "refunds")
    path = f"/developer/skills/{agent}/{skill}/version"
    body, content = version_body()
    upload(api, agent, content)
    refused(api.post(path, json=body), 422, "skill-mismatch")
    cut = content[:-7]
    blob = upload(api, agent, cut)
    tools = [{"name": "get_order", "codeS3Hash": blob}]
    spoilt = {"version": "1.0.0", "tools": tools, "artifact": {"digest": f"sha256:{blob}", "size": len(cut)}}
    refused(api.post(path, json=spoilt), 422, "artifact-invalid")
    refused(api.post(path, json=spoilt | {"artifact": {"digest": f"sha256:{blob}", "size": 1}}), 422, "size-mismatch")


def test_a_content_belongs_to_the_agent_that_sent_it(shared: Server, api: httpx.Client, agent: str) -> None:
    body, content = version_body(agent)
    blob = upload(api, f"{agent}-theirs", content)
    check = api.post(f"/developer/agents/{agent}/backup/check-blobs", json={"hashes": [blob]})
    assert data(check) == {"missing": [blob], "existing": [], "results": {blob: False}}
    skill = make_skill(api, agent)
    refused(api.post(f"/developer/skills/{agent}/{skill}/version", json=body), 422, "blob-missing")
    assert data(api.post(f"/developer/agents/{agent}/backup/blob-urls", json={"hashes": [blob]}))["urls"] == {}


def test_an_address_takes_the_content_that_it_was_given_out_for(api: httpx.Client, agent: str) -> None:
    name = hashlib.sha256(b"right").hexdigest()
    url = data(api.post(f"/developer/agents/{agent}/backup/blob-upload-urls", json={"hashes": [name]}))["urls"][name]
    refused(httpx.put(url, content=b"wrong", trust_env=False, timeout=60), 422, "digest-mismatch")
    refused(
        httpx.put(url[:-1] + ("0" if url[-1] != "0" else "1"), content=b"right", trust_env=False, timeout=60),
        403,
        "address-invalid",
    )
    refused(httpx.put(url.rpartition(".")[0], content=b"right", trust_env=False, timeout=60), 403, "address-invalid")
    refused(httpx.get(url, trust_env=False, timeout=60), 403, "address-expired")
    assert data(httpx.put(url, content=b"right", trust_env=False, timeout=60))["size"] == 5
    get = data(api.post(f"/developer/agents/{agent}/backup/blob-urls", json={"hashes": [name]}))["urls"][name]
    assert httpx.get(get, trust_env=False, timeout=60).content == b"right"
    bad = {"hashes": [name], "checksums": {name: "AAAA"}}
    refused(api.post(f"/developer/agents/{agent}/backup/blob-upload-urls", json=bad), 422, "checksum-invalid")


def test_a_repeated_key_gets_the_first_answer_and_no_second_thing(api: httpx.Client, agent: str) -> None:
    path, headers = f"/developer/skills/{agent}", {"X-Idempotency-Key": "k1"}
    first = data(api.post(path, json={"name": "orders"}, headers=headers), 201)
    assert data(api.post(path, json={"name": "orders"}, headers=headers), 201) == first
    refused(api.post(path, json={"name": "others"}, headers=headers), 422, "idempotency-key-reused")
    refused(api.post(path, json={"name": "orders"}), 409, "skill-exists")
    assert len(data(api.get(path))["skills"]) == 1


def test_a_deploy_has_to_have_seen_the_last_one(api: httpx.Client, agent: str) -> None:
    skill = make_skill(api, agent)
    body, content = version_body()
    upload(api, agent, content)
    data(api.post(f"/developer/skills/{agent}/{skill}/version", json=body), 201)
    path = f"/developer/skills/{agent}/{skill}/1.0.0/publish"
    first = api.put(path, headers={"If-Match": '"0"'})
    assert data(first)["deployment"]["entry"] == 1 and first.headers["etag"] == '"1"'
    error = refused(api.put(path, headers={"If-Match": '"0"'}), 412, "deployed-meanwhile")
    assert error["details"] == {"entry": 1, "version": "1.0.0"}
    refused(api.put(path, headers={"If-Match": "soon"}), 400, "if-match-invalid")
    assert data(api.put(path))["deployment"]["entry"] == 2, "without If-Match nobody has to have seen anything"
    listed = data(api.get(f"/developer/skills/{agent}/{skill}/versions"))
    assert listed["activeVersionId"] == listed["versions"][0]["id"]


def test_a_client_that_sends_single_tools(api: httpx.Client, agent: str, shared: Server) -> None:
    skill = make_skill(api, agent)
    path = f"/developer/skills/{agent}/{skill}/version"
    tool = {"name": "track", "description": "d", "inputSchema": {"type": "object"}, "codeS3Hash": "", "condition": "c"}
    tool["codeS3Hash"] = upload(api, agent, b"\x1f\x8bcode")
    body = {"version": "1.0.0", "description": "s", "context": "c", "tools": [tool], "sourceArchive": "abc"}
    assert data(api.post(path, json=body), 201)["record"]["digest"] == ""
    assert data(api.post(path, json=body | {"sourceArchive": "later"}))["version"] == "1.0.0", (
        "the same but for the source"
    )
    refused(api.post(path, json=body | {"description": "other"}), 409, "version-taken")
    refused(api.post(path, json=body | {"version": "2.0.0", "tools": [tool, tool]}), 422, "tools-duplicate")
    refused(api.post(path, json=body | {"version": "2.0.0", "context": {"odd": "x"}}), 422, "context-invalid")
    refused(api.get(f"{path}/1.0.0/artifact"), 404, "no-artifact")
    data(api.put(f"{path}/1.0.0/source", json={"sourceArchive": "zip"}))
    with shared.client() as registry:
        assert registry.facts(agent, "orders", "1.0.0") == SkillFacts(
            "s", "c", tools=(ToolFacts("track", "d", {"type": "object"}, True),)
        )
        assert registry.deploy(agent, "orders", "1.0.0", seen=0, key="k").number == 1


def test_a_skill_goes_only_while_it_has_no_versions(api: httpx.Client, agent: str) -> None:
    skill = make_skill(api, agent)
    assert data(api.delete(f"/developer/skills/{agent}/{skill}")) == {"deleted": True, "deactivated": False}
    skill = make_skill(api, agent)
    body, content = version_body()
    upload(api, agent, content)
    data(api.post(f"/developer/skills/{agent}/{skill}/version", json=body), 201)
    data(api.put(f"/developer/skills/{agent}/{skill}/1.0.0/publish"))
    assert data(api.delete(f"/developer/skills/{agent}/{skill}")) == {"deleted": False, "deactivated": True}
    (listed,) = data(api.get(f"/developer/skills/{agent}"))["skills"]
    assert (listed["active"], listed["versions"][0]["active"], listed["live"]["entry"]) == (False, False, 1)
    data(api.put(f"/developer/skills/{agent}/{skill}/1.0.0/publish"))
    assert data(api.get(f"/developer/skills/{agent}"))["skills"][0]["active"] is True


def test_drafts_variables_backups_and_the_kinds_that_are_not_here(api: httpx.Client, agent: str) -> None:
    skill = make_skill(api, agent)
    draft = data(api.post(f"/developer/skills/{agent}/{skill}/version/sandbox", json={"version": "9"}), 201)[
        "versionId"
    ]
    data(api.put(f"/developer/skills/{agent}/{skill}/version/sandbox/{draft}", json={"version": "9"}))
    refused(api.put(f"/developer/skills/{agent}/{skill}/version/sandbox/nope", json={"version": "9"}), 404, "not-found")
    env = f"/developer/agents/{agent}/env"
    assert data(api.post(env, json={"A": "1", "B": "ü\u0000"}))["data"] == {"A": "1", "B": "ü\u0000"}
    assert data(api.delete(f"{env}/A"))["data"] == {"B": "ü\u0000"}
    refused(api.delete(f"{env}/A"), 404, "not-found")
    refused(api.post(env, json={"A=": "1"}), 422, "variable-invalid")
    short = hashlib.sha256(b"source").hexdigest()[:16]
    file = {"relativePath": "src/a.ts", "hash": short, "size": 6, "type": "text"}
    manifest = {"projectHash": "p", "files": [file], "version": 3, "orgId": "o"}
    refused(api.post(f"/developer/agents/{agent}/backup/manifest", json=manifest), 422, "blob-missing")
    upload(api, agent, b"source", short)
    kept = data(api.post(f"/developer/agents/{agent}/backup/manifest", json=manifest), 201)
    assert data(api.get(f"/developer/agents/{agent}/backup/manifest")) == kept and kept["files"] == [file]
    for kind, key in (("voice-agents", "voices"), ("device-triggers", "deviceTriggers"), ("jobs", "jobs")):
        assert data(api.get(f"/developer/{kind}/{agent}")) == {key: []}
    for path in ("mcp-servers", "versions?limit=1"):
        assert data(api.get(f"/developer/agents/{agent}/{path}")) == []
    refused(api.get(f"/developer/nothing/{agent}"), 404, "not-found")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "json-invalid"),
        (b'{"name": NaN}', "json-invalid"),
        (b'{"name": 1e999}', "json-invalid"),
        (b"\xff", "json-invalid"),
        (b"[" * 100_000, "json-invalid"),
        (b'{"name":' + b"[" * 200 + b"]" * 200 + b"}", "json-invalid"),
        (b'{"name": ' + b"9" * 5000 + b"}", "json-invalid"),
    ],
)
def test_what_is_no_json_is_refused(api: httpx.Client, agent: str, body: bytes, code: str) -> None:
    refused(api.post(f"/developer/skills/{agent}", content=body), 400, code)


def test_bodies_are_bounded_and_not_unpacked(api: httpx.Client, agent: str) -> None:
    path = f"/developer/skills/{agent}"
    assert "32 MiB" in refused(api.post(path, content=b" " * (33 * 1024 * 1024)), 413, "too-large")["message"]
    refused(api.post(path, content=b"x", headers={"Content-Encoding": "gzip"}), 415, "encoding")
    refused(api.patch(path), 405, "method")
    refused(api.get("/developer"), 404, "no-such-call")
    refused(api.get("/developer/skills/%ff"), 404, "no-such-call")
    refused(api.get("/developer/skills/a%00b"), 404, "no-such-call")


def test_names_may_hold_slashes(shared: Server) -> None:
    with shared.client() as registry:
        registry.put("a/b ü", submission("1.0.0+build"))
        assert registry.artifact("a/b ü", "orders", "1.0.0+build") == submission().content


def test_a_key_that_asks_too_much_is_told_when_to_come_back(tmp_path: Any) -> None:
    server = Server(tmp_path, "--rate", "1").start()
    try:
        with server.http(server.key()) as client:
            answers = [client.get("/developer/me") for _ in range(30)]
        late = [answer for answer in answers if answer.status_code == 429]
        assert len(late) >= 10
        error = refused(late[0], 429, "rate")
        assert (late[0].headers["retry-after"], error["retryAfterSeconds"]) == ("1", 1)
    finally:
        server.close()


def test_a_disk_that_is_nearly_full_takes_nothing(tmp_path: Any) -> None:
    server = Server(tmp_path, "--reserve", str(2**40)).start()
    try:
        with server.http(server.key()) as client:
            refused(client.post("/developer/skills/acme", json={"name": "orders"}), 507, "no-space")
            assert client.get("/readyz").status_code == 503
            assert client.get("/healthz").status_code == 200
            assert data(client.get("/developer/skills/acme")) == {"skills": []}
    finally:
        server.close()


def test_numbers_and_logs_have_no_secrets(tmp_path: Any) -> None:
    server = Server(tmp_path).start()
    key = server.key()
    with server.client(key) as registry:
        registry.put(AGENT, submission())
        registry.deploy(AGENT, "orders", "1.0.0", seen=0, key="k")
    with server.http() as client:
        numbers = client.get("/metrics").text
        assert 'lua_requests_total{method="PUT",route="/blobs/{token}",status="200"} 1.0' in numbers
        assert "lua_versions_pushed_total 1.0" in numbers and "lua_deployments_total 1.0" in numbers
        request_id = client.get("/developer/me").headers["x-request-id"]
    assert server.stop() == 0, "a stop that was asked for is no failure"
    lines = [json.loads(line) for line in server.log.read_text("utf-8").splitlines() if line.startswith("{")]
    assert lines[0]["event"] == "started" and lines[-1]["event"] == "stopped"
    assert [line["status"] for line in lines if line.get("id") == request_id] == [401]
    assert key not in server.log.read_text("utf-8") and "/blobs/W" not in server.log.read_text("utf-8")
    stored = (
        (tmp_path / "server.db").read_bytes() + (tmp_path / "server.db-wal").read_bytes()
        if (tmp_path / "server.db-wal").exists()
        else (tmp_path / "server.db").read_bytes()
    )
    assert key.encode() not in stored, "the database has no key, only its digest"
