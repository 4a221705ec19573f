"""`lua chat --sandbox`, `lua mcp --sandbox`: tools and conditions inside of bubblewrap, for a whole conversation."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)
Lua = Callable[..., Result]
AGENT = """\
import os
from lua_cli import Data, LuaAgent, LuaSkill, LuaTool, User

PROJECT = {project!r}


def outside():
    return os.path.exists(PROJECT)


class Look(LuaTool):
    name = "look"
    description = "Look whether the files of the project can be seen. Use when somebody asks for it."
    input_schema = {{"type": "object", "properties": {{}}}}

    def execute(self, input):
        Data.create("notes", {{"text": "seen"}})
        return {{"outside": outside(), "user": User.get().id, "notes": len(Data.search("notes", "seen"))}}


class Peek(Look):
    name = "peek"

    def condition(self):
        return outside()


looks = LuaSkill("looks", "Looks", "Use look.", [Look(), Peek()])
agent = LuaAgent("acme", "Friendly.", [looks])
"""


@pytest.fixture
def root(write_project: Callable[[Mapping[str, str]], Path]) -> Path:
    files = {
        "ada.json": '{"id": "ada"}',
        "s.json": '[{"toolCalls": [{"name": "look"}, {"name": "look"}]}, {"text": "x"}]',
    }
    folder = write_project({"agent.py": "", **files})
    (folder / "agent.py").write_text(AGENT.format(project=str(folder / "ada.json")), "utf-8")
    return folder


@pytest.mark.parametrize("sandboxed", [True, False])
def test_chat(lua: Lua, root: Path, sandboxed: bool) -> None:
    flags = ("--sandbox",) if sandboxed else ()
    said = ("--ci", "-m", "look", "--model", "scripted:s.json", "--user", "ada.json", "--json")
    done = lua("chat", *said, *flags, cwd=root)
    assert done.exit_code == 0, done.stderr
    transcript = json.loads(done.stdout)["transcript"]
    results = [entry["result"] for entry in transcript if entry["type"] == "tool"]
    assert results == [{"outside": not sandboxed, "user": "ada", "notes": number} for number in (1, 2)]
    (gate,) = [entry for entry in transcript if entry["type"] == "gate"]
    assert (gate["name"], gate["open"]) == ("peek", not sandboxed)


def test_mcp(lua: Lua, root: Path) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    calls = [("tools/list", {}), ("tools/call", {"name": "look", "arguments": {}})]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}})
        for number, (method, params) in enumerate(calls)
    ]
    done = lua("mcp", "--user", "ada.json", "--sandbox", cwd=root, stdin="\n".join([*lines, ""]).encode())
    listed, called = (json.loads(line)["result"] for line in done.stdout.splitlines())
    assert [tool["name"] for tool in listed["tools"]] == ["look"]
    assert called["structuredContent"] == {"outside": False, "user": "ada", "notes": 1}


def test_network_goes_with_it(lua: Lua, root: Path) -> None:
    done = lua("chat", "--ci", "-m", "x", "--model", "scripted:s.json", "--network", cwd=root)
    assert (done.exit_code, "--network goes with --sandbox" in done.stderr) == (2, True)
