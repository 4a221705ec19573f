"""Cases for the choice of tools, and the end user and data in cases and single runs, as typed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Result
from tests.runtime.models.provider_server import ProviderServer

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

GOOD = """\
cases:
  - name: loads the skill, looks up, answers
    agent: orders-agent
    say: [Where is A-1002?, And my money?]
    script:
      - toolCalls: [{name: lookup_order, arguments: {order_number: A-1002}}]
      - text: It was shipped.
      - toolCalls: [{name: load_skill, arguments: {name: refunds}}]
      - toolCalls: [{name: check_refund, arguments: {order_number: A-1002, on: "2026-04-01"}}]
      - text: You get it back.
    expect:
      tools:
        - lookup_order
        - {name: check_refund, arguments: {order_number: A-1002}}
      forbidden: [find_orders]
      skills: [refunds]
      answer: back
  - name: refuses
    say: Do evil
    script: [{refusal: true}]
    expect: {refused: true}
"""

BAD = """\
cases:
  - name: wrong in every way
    say: Where is A-1002?
    script:
      - toolCalls: [{name: find_orders, arguments: {email: a@example.com}}, {name: lookup_order, arguments: {order_number: A-1001}}]
      - text: No idea.
    expect:
      tools: [{name: lookup_order, arguments: {order_number: A-1002}}, check_refund]
      forbidden: [find_orders]
      skills: [refunds]
      answer: {regex: shipped}
  - name: order counts
    say: hi
    script:
      - toolCalls: [{name: find_orders, arguments: {email: a@example.com}}]
      - toolCalls: [{name: lookup_order, arguments: {order_number: A-1001}}]
      - text: Done.
    expect:
      tools: [lookup_order, find_orders]
"""


VAIN = """\
cases:
  - name: a turn too many
    say: hi
    script: [{text: a}, {text: b}]
  - {name: forbids nothing, say: hi, script: [{text: a}], expect: {forbidden: [lookup_ordr]}}
  - {name: wants nothing, say: hi, script: [{text: a}], expect: {tools: [load_skill]}}
  - {name: loads nothing, say: hi, script: [{text: a}], expect: {skills: [refund]}}
  - {name: sets nothing, say: hi, script: [{text: a}], env: {NOBODY: x}}
  - {name: may forbid loading, say: hi, script: [{text: a}], expect: {forbidden: [load_skill]}}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "orders"
    shutil.copytree(REPOSITORY / "templates/orders", root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    shutil.rmtree(root / "tests")
    (root / "tests").mkdir()
    return root


def test_conversations_that_go_as_expected(lua: Lua, shop: Path) -> None:
    (shop / "tests/talk.test.yaml").write_text(GOOD, "utf-8")
    done = lua("test", "--ci", "--json", cwd=shop)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["ok"]) == (0, True), document
    assert [(case["name"], case["tool"]) for case in document["cases"]] == [
        ("loads the skill, looks up, answers", "orders-agent"), ("refuses", "")
    ]  # fmt: skip


def test_everything_that_differs_is_said(lua: Lua, shop: Path) -> None:
    (shop / "tests/talk.test.yaml").write_text(BAD, "utf-8")
    done = lua("test", "--ci", cwd=shop)
    assert done.exit_code == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[1:8] == [
        "✖ wrong in every way",
        'tests/talk.test.yaml:2: lookup_order was called with other arguments: /order_number: expected "A-1002", got "A-1001"',
        "check_refund was not called; called were: find_orders, lookup_order",
        "find_orders was called, and must not be",
        "the skill refunds was not loaded",
        "the answer does not match 'shipped': \"No idea.\"",
        "✖ order counts",
    ]
    assert "find_orders was not called in this order" in lines[8]
    assert 'find_orders {"email": "a@example.com"}' in done.stderr


def test_what_would_hold_by_accident_fails(lua: Lua, shop: Path) -> None:
    (shop / "tests/talk.test.yaml").write_text(VAIN, "utf-8")
    done = lua("test", "--ci", "--json", cwd=shop)
    messages = [case["message"] for case in json.loads(done.stdout)["cases"]]
    who = "the agent orders-agent"
    assert messages == [
        "the script has 1 turn that the model was not asked for",
        f"{who} has no tool 'lookup_ordr' (did you mean lookup_order?)",
        f"{who} has no tool 'load_skill' (there are: check_refund, find_orders, lookup_order)",
        f"{who} has no document 'refund' (did you mean refunds?)",
        f"{who} does not read the variable NOBODY, so nothing would see it (Python reads it by a name that can be"
        " told, or [tool.lua] env lists it; flows declare it: env: [{name: …}])",
        None,
    ]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("say: hi\n    tool: x", ":3:5: unknown key `tool` in a conversation"),
        ("say: [1]", ":2:11: must be a text"),
        ("say: hi\n    script: [{txt: x}]", ":3:14: /0/txt: there is no such key"),
        ("say: hi\n    script: 7", ":3:13: `script` is a list of the model's turns"),
        ("say: hi\n    channel: fax", ":3:14: there is no channel 'fax'"),
        ("say: hi\n    expect: {tool: [x]}", ":3:14: unknown key `tool` in `expect` of a conversation"),
        ("say: hi\n    expect: {tools: [{arguments: {}}]}", ":3:22: the expected tool has no `name`"),
        ("say: hi\n    expect: {answer: {regexp: x}}", ":3:23: unknown key `regexp` in `answer`"),
        ("say: hi\n    user: {name: x}", ":3:11: there is no key 'name' in a user"),
        ("tool: x\n    user: {data: {}}", ":3:11: a user has an `id`, which is a text"),
    ],
)
def test_files_that_cannot_be_used(lua: Lua, shop: Path, case: str, message: str) -> None:
    text = f"cases:\n  - {case.partition(chr(10))[0]}\n" + "".join(f"{line}\n" for line in case.split("\n")[1:])
    (shop / "tests/x.test.yaml").write_text(text + "    name: n\n", "utf-8")
    done = lua("test", "--ci", cwd=shop)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"tests/x.test.yaml{message}" in done.stderr


REAL = "cases:\n  - name: looks up\n    say: Where is A-1002?\n    expect: {tools: [lookup_order], answer: shipped}\n"
CALLS = {"toolCalls": [{"name": "lookup_order", "arguments": {"order_number": "A-1002"}}]}
SHIPPED = {"text": "It was shipped."}
UNKNOWN = {"text": "No idea."}


def environ(server: ProviderServer) -> dict[str, str]:
    return {"LUA_MODEL_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk", "NO_PROXY": "127.0.0.1"}


def test_a_real_model_is_asked_again_and_again(lua: Lua, shop: Path) -> None:
    (shop / "tests/talk.test.yaml").write_text(REAL, "utf-8")
    down = {"status": 400, "body": {"error": {"message": "too long"}}}
    turns = (CALLS, SHIPPED, UNKNOWN, down, CALLS, SHIPPED)
    for share, code in (("0.5", 0), ("0.75", 12), ("0.9", 1)):
        with ProviderServer(*turns).running() as server:
            flags = ("--model", "openai/m", "--runs", "4", "--min-pass", share)
            done = lua("test", "--ci", *flags, cwd=shop, env=environ(server))
        assert done.exit_code == code, done.stdout
        if code == 12:
            assert done.stdout.endswith("0 passed, 1 not played\n")
    assert "2 of 3 runs were good (95 % interval 21% to 94%), wanted 90% of 4; 1 more did not reach" in done.stdout
    assert "lookup_order was not called; called were: nothing" in done.stdout


@pytest.mark.parametrize(
    ("wrong", "lost", "share", "code"), [(2, 0, "0.9", 1), (2, 0, "0.8", 0), (0, 1, "0.9", 0), (0, 2, "0.9", 12)]
)
def test_counts_and_interval_are_in_the_json(
    lua: Lua, shop: Path, wrong: int, lost: int, share: str, code: int
) -> None:
    (shop / "tests/talk.test.yaml").write_text(REAL, "utf-8")
    down = {"status": 429, "body": {"error": {"message": "quota", "code": "insufficient_quota"}}}
    good = 10 - wrong - lost
    turns = [*[UNKNOWN] * wrong, *[turn for _ in range(good) for turn in (CALLS, SHIPPED)], *[down] * 9]
    with ProviderServer(*turns).running() as server:
        flags = ("--model", "openai/m", "--runs", "10", "--min-pass", share, "--json")
        done = lua("test", "--ci", *flags, cwd=shop, env=environ(server))
    document = json.loads(done.stdout)
    (case,) = document["cases"]
    assert (done.exit_code, document["ok"], case["ok"]) == (code, code == 0, code == 0), done.stdout
    counts = {name: case["runs"][name] for name in ("asked", "good", "wrong", "unreached", "minPass")}
    assert counts == {"asked": 10, "good": good, "wrong": wrong, "unreached": lost, "minPass": float(share)}
    low, high = case["runs"]["interval"]
    assert 0 <= low < good / (good + wrong) <= high <= 1
    assert ("unreached" in case) == (code == 12)


def test_without_a_key_a_case_is_not_played_and_never_green(
    lua: Lua, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "LUA_MODEL", "LUA_MODEL_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    played = GOOD.replace("cases:\n", "")
    (shop / "tests/talk.test.yaml").write_text(REAL + played, "utf-8")
    done = lua("test", "--ci", "--model", "openai/m", "--runs", "10", "--min-pass", "0.1", cwd=shop)
    assert done.exit_code == 9
    assert "not played: no run reached the model: there is no key for openai: OPENAI_API_KEY is not set" in done.stdout
    assert done.stdout.endswith("2 passed, 1 not played\n")
    (shop / "tests/bad.test.yaml").write_text(BAD, "utf-8")
    done = lua("test", "--ci", "--model", "openai/m", cwd=shop)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "2 passed, 2 failed, 1 not played")


@pytest.mark.parametrize("way", ["down", "overloaded"])
def test_a_case_whose_provider_does_not_answer_is_not_played(lua: Lua, shop: Path, way: str) -> None:
    (shop / "tests/talk.test.yaml").write_text(REAL, "utf-8")
    busy = {"status": 503, "body": {"error": {"message": "overloaded"}}}
    with ProviderServer(busy).running() as server:
        if way == "overloaded":
            done = lua("test", "--ci", "--model", "openai/m", "--json", cwd=shop, env=environ(server))
    if way == "down":  # the server is gone
        done = lua("test", "--ci", "--model", "openai/m", "--json", cwd=shop, env=environ(server))
    (case,) = json.loads(done.stdout)["cases"]
    assert (done.exit_code, case["ok"]) == (11, False), done.stdout
    assert "openai/m does not answer" in case["message"]
    assert case["runs"] == {**case["runs"], "asked": 1, "good": 0, "wrong": 0, "unreached": 1}


def test_recorded_answers_are_played_again(lua: Lua, shop: Path) -> None:
    (shop / "tests/talk.test.yaml").write_text(REAL.replace("    expect", "    script: talk.json\n    expect"), "utf-8")
    with ProviderServer(CALLS, SHIPPED).running() as server:
        done = lua("test", "--ci", "--record", "--model", "openai/m", cwd=shop, env=environ(server))
    assert done.exit_code == 0, done.stdout
    assert json.loads((shop / "tests/talk.json").read_text("utf-8")) == [CALLS, SHIPPED]
    assert lua("test", "--ci", cwd=shop).exit_code == 0


def test_a_conversation_without_any_model_fails_with_the_way_out(
    lua: Lua, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LUA_MODEL", raising=False)
    (shop / "tests/talk.test.yaml").write_text(REAL, "utf-8")
    done = lua("test", "--ci", cwd=shop)
    assert done.exit_code == 2
    assert "not played: no model is named" in done.stdout
    assert lua("test", "--ci", "--runs", "0", cwd=shop).exit_code == 2
    assert lua("test", "--ci", "--min-pass", "2", cwd=shop).exit_code == 2


STATE = """\
from lua_cli import Data, LuaAgent, LuaSkill, LuaTool, User


class Note(LuaTool):
    name = "keep_note"
    description = "Keep a note. Use when the customer says what they like."
    input_schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

    async def execute(self, input):
        user = User.get()
        Data.create("notes", {"text": input["text"]})
        found = Data.search("notes", "like")
        return {"user": None if user is None else user.id, "count": len(found)}


skill = LuaSkill(name="notes", context="Notes.", tools=[Note()])
agent = LuaAgent(name="a", persona="p", skills=[skill])
"""
CASES = """\
cases:
  - {name: nobody, tool: keep_note, input: {text: I like blue}, expect: {output: {user: null, count: 1}}}
  - {name: ada, tool: keep_note, input: {text: I like red}, user: {id: ada}, expect: {output: {user: ada, count: 1}}}
  - name: talked with
    say: hi
    user: {id: ada}
    script: [{toolCalls: [{name: keep_note, arguments: {text: like}}]}, {text: ok}]
    expect: {tools: [keep_note]}
"""


def test_each_case_has_its_user_and_begins_without_data(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"agent.py": STATE, "tests/n.test.yaml": CASES, "bob.json": '{"id": "bob"}'})
    assert lua("test", "--ci", cwd=root).exit_code == 0
    done = lua("test", "--ci", "--user", "bob.json", "-k", "nobody", cwd=root)
    assert '/user: expected null, got "bob"' in done.stdout


def test_a_single_run_sees_the_user_and_the_projects_data(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"agent.py": STATE, "bob.json": '{"id": "bob"}'})
    run = ("test", "--ci", "skill", "--name", "keep_note", "--input", '{"text": "like"}')
    assert json.loads(lua(*run, "--user", "bob.json", cwd=root).stdout) == {"user": "bob", "count": 1}
    assert json.loads(lua(*run, cwd=root).stdout) == {"user": None, "count": 2}
    assert lua(*run, "--user", "none.json", cwd=root).exit_code == 3


FETCHES = """\
import json
import urllib.request

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Track(LuaTool):
    name = "track_parcel"
    description = "Say where a parcel is. Use when the customer asks."
    input_schema = {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}

    def condition(self):
        return urllib.request.urlopen("http://parcels.example/open").status == 200

    def execute(self, input):
        with urllib.request.urlopen(f"http://parcels.example/{input['number']}") as answer:
            return json.load(answer)


skill = LuaSkill(name="parcels", context="Parcels.", tools=[Track()])
agent = LuaAgent(name="a", persona="p", skills=[skill])
"""
TRACKED = """\
cases:
  - name: asks the carrier
    say: Where is P-1?
    http:
      - {request: {url: "http://parcels.example/open"}, response: {json: {}}}
      - {request: {url: "http://parcels.example/P-1"}, response: {json: {at: Bern}}}
    script: [{toolCalls: [{name: track_parcel, arguments: {number: NUMBER}}]}, {text: It is in Bern.}]
    expect: {tools: [track_parcel], answer: Bern}
"""


def test_http_is_played_for_tools_and_conditions_of_a_conversation(lua: Lua, write_project: WriteProject) -> None:
    root = write_project({"agent.py": FETCHES, "tests/t.test.yaml": TRACKED.replace("NUMBER", "P-1")})
    done = lua("test", "--ci", cwd=root)
    assert done.exit_code == 0, done.stdout + done.stderr
    (root / "tests/t.test.yaml").write_text(TRACKED.replace("NUMBER", "P-2"), "utf-8")
    done = lua("test", "--ci", cwd=root)
    assert done.exit_code == 1
    assert "no exchange of the case's `http` fits GET http://parcels.example/P-2" in done.stdout


def test_http_of_a_conversation_is_recorded(lua: Lua, write_project: WriteProject) -> None:
    with ProviderServer().running() as server:
        case = TRACKED.replace("NUMBER", "P-1").partition("    http:")[0] + "    http: parcels.json\n"
        script = "    script: [{toolCalls: [{name: track_parcel, arguments: {number: P-1}}]}, {text: ok}]\n"
        agent = FETCHES.replace("http://parcels.example", server.url)
        root = write_project({"agent.py": agent, "tests/t.test.yaml": case + script})
        assert lua("test", "--ci", cwd=root).exit_code == 2  # there is no recording yet
        done = lua("test", "--ci", "--record", cwd=root, env={"NO_PROXY": "127.0.0.1"})
    recorded = json.loads((root / "tests/parcels.json").read_text("utf-8"))["exchanges"]
    assert [one["request"]["url"].removeprefix(server.url) for one in recorded] == ["/open", "/P-1"], done.stdout
    assert lua("test", "--ci", cwd=root).exit_code == 0  # the server is gone
