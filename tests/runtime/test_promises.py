"""What is promised of every run and of every turn, where no other test holds it: a child of its own kind, its limits,
one reading of inputs and one writing of outputs, conditions asked together."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import lua_cli
from lua_cli import LuaAgent
from lua_cli.child.launch import Limits
from lua_cli.commands.surroundings import Where
from lua_cli.commands.testing import TIMEOUT
from lua_cli.runtime.agents import AgentFacts, Setting
from lua_cli.runtime.agents.gating import BUDGET
from lua_cli.runtime.model import RunOptions
from lua_cli.runtime.turns import Rules
from tests.conftest import Result
from tests.runtime.workshop import Workshop, tool_module

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]
TOOLS = {
    "flags": "import sys\nreturn [sys.flags.isolated, sys.flags.utf8_mode, sys.flags.no_user_site, open('x', 'w').encoding.lower()]",
    "passed": "import os\nreturn sorted(name for name in NAMES if name in os.environ)",
    "writes": "open('large', 'wb').write(bytes(3 * 1024 * 1024))\nreturn 'written'",
}
SYSTEM = ["HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("promises") / "project")


@pytest.fixture(scope="module")
def opened(workshop: Workshop) -> Any:
    module, tools = tool_module(TOOLS, f"NAMES = {[*SYSTEM, 'LUA_API_KEY', 'AWS_SECRET_ACCESS_KEY']!r}")
    return workshop.opened(workshop.draft({"tools.py": module}, tools))


def test_the_child_is_isolated_and_speaks_utf8(
    workshop: Workshop, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    monkeypatch.setenv("LC_ALL", "C")
    assert workshop.run(opened, "flags").output == [1, 1, 1, "utf-8"]


def test_proxies_and_certificates_reach_a_tool_and_keys_do_not(
    workshop: Workshop, opened: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in (*SYSTEM, "LUA_API_KEY", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, str(tmp_path / "x"))
    assert workshop.run(opened, "passed").output == SYSTEM


def test_a_file_ends_at_the_limit(workshop: Workshop, opened: Any) -> None:
    assert workshop.run(opened, "writes").output == "written"
    failed = workshop.run(opened, "writes", limits=Limits(file_size=1024 * 1024))
    assert failed.error is not None
    assert failed.error.type in ("tool-error", "crashed")
    assert "OSError" in failed.error.message or "file" in failed.error.message


def test_the_defaults_are_those_that_are_written_down() -> None:
    assert (TIMEOUT, BUDGET, Where().timeout, Where().budget) == (30.0, 30.0, 30.0, 30.0)
    assert RunOptions.__record_fields__["timeout"].default == 30.0
    assert Setting.__record_fields__["budget"].default == 30.0
    assert (LuaAgent("a").max_iterations, AgentFacts("a").max_iterations, Rules().max_iterations) == (8, 8, 8)


def test_the_sdk_has_no_names_for_what_is_not_in_this_release() -> None:
    names = " ".join(lua_cli.__all__).lower()
    for kind in ("webhook", "trigger", "job", "processor", "integration"):
        assert kind not in names


AGENT = """\
import datetime, decimal
from pydantic import BaseModel, Field, field_validator
from lua_cli import LuaAgent, LuaSkill, LuaTool


class Query(BaseModel):
    n: int = Field(ge=1)
    what: str = ""

    @field_validator("what")
    @classmethod
    def known(cls, value):
        if value == "bad":
            raise ValueError("no such thing")
        return value


class Give(LuaTool[Query]):
    name = "give"
    description = "Give a value back. Use when somebody asks for one."

    async def execute(self, input):
        assert isinstance(input, Query)
        if input.what == "raise":
            raise KeyError("gone")
        return {
            "date": {"at": datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), "sum": decimal.Decimal("1.10"), 3: {"b"}},
            "nan": [1.0, float("nan")], "object": {"o": object()}, "text": "plain", "none": None,
        }.get(input.what, input.n)


skill = LuaSkill("gives", "Gives", "Use give.", [Give()])
agent = LuaAgent("giver", "Brief.", [skill])
"""
GIVEN: list[dict[str, Any]] = [
    {"n": 0}, {"n": "7"}, {}, {"n": 1, "what": 5}, {"n": 1, "what": "bad"}, {"n": 1, "what": "raise"},
    {"n": 1, "what": "date"}, {"n": 1, "what": "nan"}, {"n": 1, "what": "object"}, {"n": 1, "what": "text"},
    {"n": 1, "what": "none"}, {"n": 7},
]  # fmt: skip


def test_one_reading_of_inputs_and_one_writing_of_outputs(lua: Lua, write_project: WriteProject) -> None:
    """`lua test`, `lua chat` and `lua mcp` say the same of the same call."""
    calls = [{"name": "give", "arguments": given} for given in GIVEN]
    root = write_project({"agent.py": AGENT, "s.json": json.dumps([{"toolCalls": calls}, {"text": "x"}])})
    chat = lua("chat", "--ci", "-m", "x", "--model", "scripted:s.json", "--json", cwd=root)
    talked = [entry for entry in json.loads(chat.stdout)["transcript"] if entry["type"] == "tool"]
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    asked = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {**call, "_meta": meta}})
        for number, call in enumerate(calls)
    ]
    served = lua("mcp", cwd=root, stdin="\n".join([*asked, ""]).encode()).stdout.splitlines()
    for given, entry, line in zip(GIVEN, talked, served, strict=True):
        ran = json.loads(
            lua("test", "skill", "--name", "give", "--input", json.dumps(given), "--json", cwd=root).stdout
        )
        text = json.loads(line)["result"]["content"][0]["text"]
        if ran["ok"]:
            assert entry["result"] == ran["output"]
            assert (text if isinstance(ran["output"], str) else json.loads(text)) == ran["output"]
            continue
        for error in (entry["error"], json.loads(text)["error"]):
            assert (error["type"], error.get("path")) == (ran["error"]["type"], ran["error"].get("path")), given
            assert error.get("errors", []) == ran["error"].get("errors", []), given


TOGETHER = """\
import asyncio
from lua_cli import LuaAgent, LuaSkill, LuaTool

met = asyncio.Event()


class First(LuaTool):
    name = "first"
    description = "The first of two. Use when somebody asks for one."
    input_schema = {{"type": "object", "properties": {{}}}}

    async def condition(self):
        await met.wait()
        return True

    def execute(self, input):
        return 1


class Second(First):
    name = "second"

    async def condition(self):
        met.set()
        return True


class Reads(First):
    name = "reads"

    def condition(self):
        return open({fifo!r}).read() == "here"


def writes():
    with open({fifo!r}, "w") as file:
        file.write("here")
    return True


one = LuaSkill("one", "One", "Use first.", [First(), Second(), Reads()])
two = LuaSkill("two", "Two", "Nothing.", condition=writes)
agent = LuaAgent("both", "Brief.", [one, two])
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_conditions_are_asked_together(lua: Lua, write_project: WriteProject, tmp_path: Path) -> None:
    """Each of these waits for another one: of the same skill, and of another skill in another process."""
    fifo = tmp_path / "meeting"
    os.mkfifo(fifo)
    root = write_project({"agent.py": TOGETHER.format(fifo=str(fifo)), "ada.json": '{"id": "ada"}'})
    done = lua("gates", "--users", "ada.json", "--json", cwd=root)
    assert done.exit_code == 0, done.stderr
    gates = json.loads(done.stdout)["users"][0]["gates"]
    assert {gate["name"]: gate["open"] for gate in gates} == dict.fromkeys(
        ("one", "two", "first", "second", "reads"), True
    )
