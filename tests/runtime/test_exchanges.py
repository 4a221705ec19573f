"""HTTP in cases: played without a network, recorded with it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lua_cli.bundle import OpenedArtifact
from lua_cli.runtime import RunResult
from lua_cli.runtime.recording import read_recording, write_recording
from tests.runtime.workshop import Workshop, tool_module

HEAD = """
    import asyncio, json, os, socket, urllib.request

    def get(url):
        with urllib.request.urlopen(url, timeout=10) as response:
            return [response.status, response.headers["content-type"], response.read().decode()]
"""
TOOLS = {
    "urllib": "return get(input['url'])",
    "urllib_posts": """
        data = json.dumps({"a": 1}).encode()
        request = urllib.request.Request(input["url"], data, {"Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request, timeout=10) as response:
            return [response.status, json.load(response)]
    """,
    "requests": """
        import requests

        with requests.Session() as session:
            answers = [session.get(input["url"], timeout=10) for _ in range(2)]
        return [[answer.status_code, answer.headers["content-type"], answer.text] for answer in answers]
    """,
    "httpx": """
        import httpx

        answer = httpx.get(input["url"])
        return [answer.status_code, answer.headers["content-type"], answer.text]
    """,
    "httpx_async": """
        async def execute(self, input):
            import httpx

            async with httpx.AsyncClient() as client:
                answer = await client.post(input["url"], json={"a": 1})
            return [answer.status_code, answer.json()]
    """,
    "streams": """
        import requests

        sent = requests.post(input["url"], data=iter([b"one", b"two"]), timeout=10)
        return [sent.status_code, sent.text]
    """,
    "raw": "socket.create_connection(('127.0.0.1', input['port']), timeout=5).close()\nreturn 'connected'",
    "keyed": "return get(input['url'] + '?key=' + os.environ['API_KEY'])",
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("exchanges") / "project")


@pytest.fixture(scope="module")
def opened(workshop: Workshop) -> OpenedArtifact:
    module, tools = tool_module(TOOLS, HEAD)
    return workshop.opened(workshop.draft({"tools.py": module}, tools, env=("API_KEY",)))


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(f'{{"path": "{self.path}"}}', "application/json")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        self._answer(json.dumps({"got": body}), "application/json")

    def _answer(self, text: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("set-cookie", "session=secret")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def exchange(url: str, response: dict[str, Any], **request: Any) -> dict[str, Any]:
    return {"request": {"url": url, **request}, "response": response}


def play(
    workshop: Workshop, opened: OpenedArtifact, tool: str, exchanges: list[Any], *, record: bool = False, **given: Any
) -> RunResult:
    http = {"exchanges": exchanges, "record": record}
    return workshop.run(opened, tool, json.dumps(given), http=http)


URL = "https://api.acme.example/orders/A-1"


@pytest.mark.parametrize("tool", ["urllib", "requests", "httpx"])
def test_requests_are_answered_without_a_network(tool: str, workshop: Workshop, opened: OpenedArtifact) -> None:
    result = play(workshop, opened, tool, [exchange(URL, {"json": {"status": "shipped"}})], url=URL)
    assert result.error is None, result.error
    answer = [200, "application/json", '{"status": "shipped"}']
    assert result.output == ([answer, answer] if tool == "requests" else answer)
    assert result.http == {"recorded": [], "unmatched": []}


@pytest.mark.parametrize("tool", ["urllib_posts", "httpx_async"])
def test_the_body_and_the_method_count(tool: str, workshop: Workshop, opened: OpenedArtifact) -> None:
    exchanges = [
        exchange(URL, {"json": "get"}),
        exchange(URL, {"json": "other"}, method="POST", json={"a": 2}),
        exchange(URL, {"status": 201, "json": "right"}, method="POST", json={"a": 1}),
    ]
    assert play(workshop, opened, tool, exchanges, url=URL).output == [201, "right"]


def test_a_body_that_is_sent_in_pieces(workshop: Workshop, opened: OpenedArtifact) -> None:
    exchanges = [exchange(URL, {"body": "thanks"}, method="POST", body="onetwo")]
    assert play(workshop, opened, "streams", exchanges, url=URL).output == [200, "thanks"]


def test_equal_requests_are_answered_in_order(workshop: Workshop, opened: OpenedArtifact) -> None:
    kind = {"content-type": "text/plain"}
    exchanges = [exchange(URL, {"body": "1", "headers": kind}), exchange(URL, {"status": 404, "headers": kind})]
    output = play(workshop, opened, "requests", exchanges, url=URL).output
    assert output == [[200, "text/plain", "1"], [404, "text/plain", ""]]


@pytest.mark.parametrize("tool", ["urllib", "httpx"])
def test_a_request_that_is_not_there_is_named(tool: str, workshop: Workshop, opened: OpenedArtifact) -> None:
    result = play(workshop, opened, tool, [exchange(URL, {"body": "one"})], url=URL + "/other")
    assert result.http["unmatched"] == [f"GET {URL}/other"]
    assert result.error is not None


def test_other_connections_find_no_network(workshop: Workshop, opened: OpenedArtifact, server: str) -> None:
    result = play(workshop, opened, "raw", [], port=int(server.rpartition(":")[2]))
    assert result.error is not None
    assert "no network in a case with `http`" in result.error.message


@pytest.mark.parametrize("tool", ["urllib", "requests", "httpx", "urllib_posts", "httpx_async"])
def test_what_is_recorded_can_be_played(
    tool: str, workshop: Workshop, opened: OpenedArtifact, server: str, tmp_path: Path
) -> None:
    recorded = play(workshop, opened, tool, [], record=True, url=f"{server}/orders")
    assert recorded.error is None, recorded.error
    write_recording(tmp_path / "orders.http.json", recorded.http["recorded"], lambda text: text)
    assert "secret" not in (tmp_path / "orders.http.json").read_text("utf-8")
    played = play(workshop, opened, tool, read_recording(tmp_path / "orders.http.json"), url=f"{server}/orders")
    assert played.error is None, played.error
    assert played.output == recorded.output


def test_secrets_are_not_written_down_and_fit_anything(
    workshop: Workshop, opened: OpenedArtifact, server: str, tmp_path: Path
) -> None:
    from lua_cli.runtime.masking import masker

    given, http = json.dumps({"url": f"{server}/x"}), {"exchanges": [], "record": True}
    recorded = workshop.run(opened, "keyed", given, http=http, env={"API_KEY": "real-k3y"})
    write_recording(tmp_path / "k.json", recorded.http["recorded"], masker({"API_KEY": "real-k3y"}))
    assert "real-k3y" not in (tmp_path / "k.json").read_text("utf-8")
    http = {"exchanges": read_recording(tmp_path / "k.json"), "record": False}
    played = workshop.run(opened, "keyed", given, http=http, env={"API_KEY": "another"})
    assert played.output[0] == 200
