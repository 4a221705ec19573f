"""A condition that hangs, through `lua chat`: it costs its budget once, and the turn goes on.

The budget is `--gate-timeout`; LUA_GATE_SECONDS=30 plays it with the 30 seconds that count without the flag, and prints
what the turns took.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

SECONDS = os.environ.get("LUA_GATE_SECONDS", "1")
AGENT = """\
import threading
from lua_cli import LuaAgent, LuaSkill, LuaTool


class Hangs(LuaTool):
    name = "hangs_forever"
    description = "Never offered. Use never."

    def condition(self):
        threading.Event().wait()

    def execute(self, input: dict):
        return 1


class Fine(LuaTool):
    name = "say_fine"
    description = "Say fine. Use always."

    def execute(self, input: dict):
        return "fine"


def hangs():
    threading.Event().wait()


skill = LuaSkill("skill", "", "C.", [Hangs(), Fine()])
closed = LuaSkill("closed", "", "Never in the prompt.", [Fine()], condition=hangs)
agent = LuaAgent("acme", "P.", [skill, closed])
"""


def test_a_gate_that_hangs_costs_its_budget_once(lua: Lua, write_project: WriteProject) -> None:
    calls: Any = {"toolCalls": [{"name": "say_fine", "arguments": {}}]}
    root = write_project({"agent.py": AGENT, "s.json": json.dumps([calls, {"text": "one"}, {"text": "two"}])})
    budget = () if SECONDS == "30" else ("--gate-timeout", SECONDS)
    done = lua(
        "chat", "--ci", "--model", "scripted:s.json", "-m", "first", "-m", "second", "--json", *budget, cwd=root
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert (done.exit_code, document["answer"]) == (0, "two")
    first, second = _turns(document["transcript"])
    late, lost = f"no answer within {SECONDS} seconds", "has not come back since an earlier turn"
    assert _gates(first) == {"hangs_forever": late, "closed": late}
    assert _gates(second) == {"hangs_forever": lost, "closed": lost}
    for turn in (first, second):
        (prompt,) = (entry for entry in turn if entry["type"] == "prompt")
        assert (prompt["system"], prompt["tools"]) == ("P.\n\nC.", ["say_fine"])
    assert next(entry["result"] for entry in first if entry["type"] == "tool") == "fine"
    if "LUA_GATE_SECONDS" in os.environ:
        for turn in (first, second):
            print([entry["durationMs"] for entry in turn if entry["type"] == "gate"], file=sys.stderr)


@pytest.mark.parametrize("command", [("gates",), ("prompt",)])
def test_gates_and_prompt_take_the_budget_too(lua: Lua, write_project: WriteProject, command: tuple[str, ...]) -> None:
    root = write_project({"agent.py": AGENT})
    done = lua(*command, "--gate-timeout", "0.5", cwd=root)
    assert done.exit_code == 0
    assert "left out: no answer within 0.5 seconds" in done.stdout or "hangs_forever: no answer within" in done.stdout


def _turns(transcript: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    second = max(number for number, entry in enumerate(transcript) if entry["type"] == "user")
    return transcript[:second], transcript[second:]


def _gates(turn: list[dict[str, Any]]) -> dict[str, str]:
    return {entry["name"]: entry["reason"] for entry in turn if entry["type"] == "gate" and not entry["open"]}
