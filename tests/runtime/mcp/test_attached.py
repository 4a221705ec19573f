"""Agents that use MCP servers: one written with the official SDK, one of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.errors import UsageError
from lua_cli.runtime.mcp.servers import read_servers
from tests.runtime.agents.stage import Stage, call, results, say

WriteProject = Callable[[Mapping[str, str]], Path]

SERVER = """\
import os
from mcp.server.mcpserver import MCPServer

server = MCPServer("numbers")

@server.tool()
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

@server.tool()
def token() -> str:
    "Say the token."
    return os.environ.get("NUMBERS_TOKEN", "none") + os.environ.get("OTHER_TOKEN", "")

@server.tool()
def fail() -> str:
    "Fail."
    raise ValueError("not today")

server.run("stdio")
"""


def agent(*servers: str) -> str:
    return (
        f"from lua_cli import LuaAgent\n\nagent = LuaAgent(name='a', persona='p', mcp_servers=[{', '.join(servers)}])\n"
    )


def test_the_tools_of_a_server_are_the_agents(write_project: WriteProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBERS_TOKEN", "secret")
    monkeypatch.setenv("OTHER_TOKEN", "hidden")
    root = write_project({"server.py": SERVER, "agent.py": ""})
    numbers = {
        "name": "numbers",
        "command": sys.executable,
        "args": [str(root / "server.py")],
        "env": ["NUMBERS_TOKEN"],
    }
    gone = {"name": "gone", "command": str(root / "nothing")}
    (root / "agent.py").write_text(agent(repr(numbers), repr(gone)), "utf-8")
    with Stage(root).talk() as talk:
        calls = (
            call("numbers__add", a=1, b=2),
            call("numbers__token"),
            call("numbers__fail"),
            call("numbers__add", a="x", b=1),
        )
        outcome, script = say(talk, *calls, {"text": "ok"})
        again, _ = say(talk, call("numbers__add", a=3, b=4), {"text": "ok"})
    script.assert_shown("numbers__add", "numbers__token", "numbers__fail")
    added, token, failed, refused = results(outcome)
    assert (added, token) == ({"result": 3}, {"result": "secret"})
    assert failed == "Error executing tool fail"
    assert "/a must be an integer" in refused
    assert results(again) == [{"result": 7}]
    (gate,) = (entry.facts for entry in outcome.transcript if entry.kind == "gate")
    assert (gate["kind"], gate["name"], gate["open"]) == ("server", "gone", False)
    assert gate["reason"].startswith("the MCP server gone: ")


def test_our_own_server_can_be_used(write_project: WriteProject) -> None:
    tool = (
        "from lua_cli import LuaAgent, LuaSkill, LuaTool\n\n\nclass Echo(LuaTool):\n    name = 'echo_text'\n"
        "    description = 'Say it again. Use when asked to.'\n\n    def execute(self, input: dict):\n        return input\n\n\n"
        "agent = LuaAgent(name='e', skills=[LuaSkill(name='echo', context='c', tools=[Echo()])])\n"
    )
    inner = write_project({"agent.py": tool})
    ours = {"name": "ours", "command": sys.executable, "args": ["-m", "lua_cli", "mcp", "--project", str(inner)]}
    root = write_project({"agent.py": agent(repr(ours))})
    with Stage(root).talk() as talk:
        outcome, _ = say(talk, call("ours__echo_text", word="ü"), {"text": "ok"})
    assert results(outcome) == [{"word": "ü"}]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("x", "each is a dict"),
        ({"name": "a", "cmd": "x"}, "there is no key 'cmd'"),
        ({"command": "x"}, "each has a `name`"),
        ({"name": "a__b", "command": "x"}, "each has a `name`"),
        ({"name": "a"}, "a has a `command` or a `url`"),
        ({"name": "a", "command": "x", "url": "https://x"}, "a has a `command` or a `url`"),
        ({"name": "a", "url": "http://example.com"}, "the `url` of a begins with https://"),
        ({"name": "a", "command": "x", "args": "y"}, "`args` of a is a list of texts"),
        ({"name": "a", "command": "x", "env": {"T": "1"}}, "`env` of a is a list of texts"),
    ],
)
def test_entries_that_cannot_be_used(entry: object, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read_servers([entry], "agent.py:3")
    assert caught.value.message.startswith("agent.py:3: mcp_servers: ")
    with pytest.raises(UsageError, match="two are called 'a'"):
        read_servers([{"name": "a", "command": "x"}] * 2, "agent.py:3")
