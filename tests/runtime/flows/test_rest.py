"""`rest`: what is asked, what is taken of the answer, and what fails. The network is played by a transport."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lua_cli.flows.disk import load_members
from lua_cli.runtime.flows.around import Around
from lua_cli.runtime.flows.engine import Engine
from lua_cli.runtime.flows.invoking import Invoked, run
from lua_cli.runtime.flows.message import Message

HEAD = """\
connectors:
  - {name: api, type: http-client, settings: {baseURL: 'https://api.example/v1/', headers: {X-Key: k, Accept: text/plain}}}
flows:
  - name: f
    process:
      - type: rest
        name: ask
        settings:
          connector: api
"""
Answer = httpx.Response | Exception


def ask(settings: str, answer: Answer, body: Any = None) -> tuple[Invoked, list[httpx.Request]]:
    flows = load_members({"a.yaml": (HEAD + settings).encode()})
    assert flows.findings == ()
    seen: list[httpx.Request] = []

    def play(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    around = Around(http=httpx.MockTransport(play), until=time.monotonic() + 20)
    return run(Engine(flows, around), "f", Message(body)), seen


def test_the_request_is_what_the_block_says() -> None:
    settings = """\
          method: POST
          path: /orders/{{ body.id }}/lines
          query: {limit: '5.0', q: body.id}
          headers: {accept: '"application/json"', X-Id: body.id}
          body: '{"b": 1, "a": body.id}'
          as: answer
          statusVar: status
"""
    result, (request,) = ask(settings, httpx.Response(201, json={"ok": True}), {"id": "A/1 ö"})
    assert (request.method, str(request.url)) == (
        "POST", "https://api.example/v1/orders/A%2F1%20%C3%B6/lines?limit=5&q=A%2F1+%C3%B6",
    )  # fmt: skip
    assert (request.content, request.headers["content-type"]) == ('{"a":"A/1 ö","b":1}'.encode(), "application/json")
    assert (request.headers["x-key"], request.headers.get_list("accept")) == ("k", ["application/json"])
    assert (result.body, result.vars) == ({"id": "A/1 ö"}, {"answer": {"ok": True}, "status": 201})


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (httpx.Response(200, text="plain"), "plain"),
        (httpx.Response(200, content=b""), None),
        (httpx.Response(200, content=b'{"a": NaN}'), '{"a": NaN}'),
        (httpx.Response(200, content=b"\xff"), "\ufffd"),
        (httpx.Response(200, json=[1, 2.5]), [1, 2.5]),
    ],
)
def test_the_answer_is_json_or_text(answer: httpx.Response, body: Any) -> None:
    assert ask("          path: /x\n", answer)[0].body == body


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (httpx.Response(404), "GET /x: status 404 Not Found"),
        (httpx.Response(302, headers={"location": "http://127.0.0.1/"}), "GET /x: status 302 Found"),
        (httpx.ConnectError("connection refused"), "GET /x: connection refused"),
        (httpx.ReadTimeout("late"), "GET /x: no answer within 5 seconds"),
        (httpx.Response(200, content=b"x" * (10 * 1024**2 + 1)), "GET /x: the answer is larger than 10 MiB"),
    ],
)
def test_what_fails_is_an_error_of_the_block(answer: Answer, message: str) -> None:
    result, seen = ask("          path: /x\n          timeout: 5\n", answer)
    assert len(seen) == 1
    assert result.error is not None
    assert (result.error.message, result.error.address) == (message, "f.ask")


def test_what_a_path_asks_stays_beside_the_query() -> None:
    settings = "          path: /x?fixed=1&q={{ body }}\n          query: {q: '\"new\"', p: body}\n"
    _, (request,) = ask(settings, httpx.Response(200), "a&b")
    assert dict(request.url.params) == {"fixed": "1", "q": "new", "p": "a&b"}
    _, (request,) = ask("          path: /x?fixed=1&q={{ body }}\n", httpx.Response(200), "a&b=%")
    assert str(request.url) == "https://api.example/v1/x?fixed=1&q=a%26b%3D%25"


@pytest.mark.parametrize("segment", ["..", ".", "%2E%2e"])
def test_a_value_does_not_lead_out_of_its_folder(segment: str) -> None:
    written = "{{ body }}" if segment[0] == "." else segment
    result, seen = ask(f"          path: /users/{written}/keys\n", httpx.Response(200), segment)
    assert (seen, result.error and result.error.message) == (
        [], f"the path /users/{segment}/keys has a segment of dots alone, which would lead to another folder",
    )  # fmt: skip


def test_dots_beside_other_characters_are_a_name() -> None:
    _, (request,) = ask("          path: /users/{{ body }}?up=..\n", httpx.Response(200), "..a.")
    assert str(request.url) == "https://api.example/v1/users/..a.?up=.."


def test_a_message_adds_no_header() -> None:
    result, seen = ask("          path: /x\n          headers: {X: body}\n", httpx.Response(200), "a\r\nY: b")
    assert (seen, result.error and result.error.message) == ([], "'X' cannot be a header with this value")


def test_a_status_may_be_the_flows_business() -> None:
    settings = "          path: /x\n          failOnError: false\n          statusVar: status\n"
    result, _ = ask(settings, httpx.Response(404, json={"why": "gone"}))
    assert (result.body, result.vars) == ({"why": "gone"}, {"status": 404})


def test_the_time_limit_of_the_run_ends_it() -> None:
    flows = load_members({"a.yaml": b"flows: [{name: f, process: [{type: log}]}]"})
    result = run(Engine(flows, Around(until=time.monotonic() - 1)), "f", Message())
    assert result.error is not None
    assert (result.error.message, result.error.address) == ("the time limit is over", "f.log")


@pytest.mark.parametrize(
    ("base", "path", "body", "url"),
    [
        ("http://127.0.0.1:87", "{{ body }}", "65", "http://127.0.0.1:87/65"),
        ("https://api.example", "{{ body }}", ".evil.example", "https://api.example/.evil.example"),
        ("https://api.example", "@evil.example/x", "", "https://api.example/@evil.example/x"),
        ("https://api.example", "//evil.example/{{ body }}", "x", "https://api.example//evil.example/x"),
        ("https://api.example/v1/", "orders", "", "https://api.example/v1/orders"),
        ("https://api.example/v1", "?all=1", "", "https://api.example/v1?all=1"),
    ],
)
def test_a_message_never_leads_to_another_host(base: str, path: str, body: str, url: str) -> None:
    document = (
        f"connectors: [{{name: api, type: http-client, settings: {{baseURL: '{base}', headers: {{X-Key: secret}}}}}}]\n"
        f"flows: [{{name: f, process: [{{type: rest, settings: {{connector: api, path: '{path}'}}}}]}}]\n"
    )
    flows = load_members({"a.yaml": document.encode()})
    assert flows.findings == ()
    seen: list[str] = []

    def play(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return httpx.Response(200)

    result = run(Engine(flows, Around(http=httpx.MockTransport(play))), "f", Message(body))
    assert (seen, result.error) == ([url], None)


class Trickle(httpx.SyncByteStream):
    """Bytes that come one at a time, until nobody wants them."""

    def __init__(self) -> None:
        self.wanted = threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        while not self.wanted.wait(0.01):
            yield b"x"


def test_an_answer_that_trickles_is_ended_at_the_time_limit() -> None:
    stream = Trickle()
    try:
        result, _ = ask("          path: /x\n          timeout: 0.3\n", httpx.Response(200, stream=stream))
    finally:
        stream.wanted.set()
    assert result.error is not None
    assert result.error.message == "GET /x: no answer within 0.3 seconds"


def test_what_is_cancelled_does_not_wait_for_an_answer() -> None:
    stream = Trickle()
    flows = load_members({"a.yaml": (HEAD + "          path: /x\n").encode()})
    around = Around(http=httpx.MockTransport(lambda _request: httpx.Response(200, stream=stream)))
    timer = threading.Timer(0.2, around.cancellation.cancel)
    timer.start()
    try:
        result = run(Engine(flows, around), "f", Message())
    finally:
        stream.wanted.set()
        timer.join()
    assert result.error is not None
    assert (result.error.message, result.error.address) == ("it was cancelled", "f.ask")


def test_secrets_are_masked_where_people_read() -> None:
    document = """\
env: [{name: API_KEY}]
flows:
  - name: f
    process:
      - {type: log, settings: {message: '"the key is " + env.API_KEY'}}
      - {type: fail, settings: {message: '"refused: " + env.API_KEY'}}
"""
    around = Around(env={"API_KEY": "sk-very-secret"})
    result = run(Engine(load_members({"a.yaml": document.encode()}), around), "f", Message())
    assert result.error is not None
    assert ([line.text for line in result.logs], result.error.message) == (["the key is ***"], "refused: ***")
