"""`lua fuzz`: a tool that breaks is found out with a small input, which becomes a case."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]

AGENT = """\
from typing import Literal

from pydantic import BaseModel, Field, field_validator

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Query(BaseModel):
    words: list[str] = []
    kind: Literal["a", "b"] = "a"
    number: int = Field(default=0, ge=0, le=1000)

    @field_validator("number")
    @classmethod
    def even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value


class Sound(LuaTool[Query]):
    name = "sound"
    description = "Say how many words there are. Use when somebody counts words."
    input_schema = Query

    async def execute(self, input: Query) -> int:
        if input.kind == "b":
            raise LookupError("there is no b")
        return len(input.words)


class Fragile(LuaTool[Query]):
    name = "fragile"
    description = "Say the second word. Use when somebody wants the second word."
    input_schema = Query

    def execute(self, input: Query) -> str:
        return input.words[1] if input.words else ""


class Crashing(LuaTool[Query]):
    name = "crashing"
    description = "End at a large number. Use when somebody likes surprises."
    input_schema = Query

    def execute(self, input: Query) -> str:
        import os

        if input.number > 500:
            os._exit(0)
        return ""


words = LuaSkill(name="words", context="Words.", tools=[Sound(), Fragile(), Crashing()])
agent = LuaAgent(name="acme", skills=[words])
"""


@pytest.fixture
def project(write_project: Callable[[Mapping[str, str]], Path]) -> Path:
    return write_project({"src/agent.py": AGENT})


def test_a_sound_tool_passes_and_with_strict_every_exception_counts(lua: Lua, project: Path) -> None:
    result = lua("fuzz", "sound", "--examples", "12", "--ci", cwd=project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith("inputs, none failed\n")
    strict = lua("fuzz", "sound", "--strict", "--examples", "12", "--ci", "--json", cwd=project)
    document = json.loads(strict.stdout)
    assert (strict.exit_code, document["ok"], document["input"]) == (1, False, {"kind": "b"})
    assert document["error"]["exception"] == "LookupError"


def test_a_failing_input_is_made_small_and_kept_as_a_case(lua: Lua, project: Path) -> None:
    result = lua("fuzz", "fragile", "--examples", "12", "--ci", cwd=project)
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"words": [""]}
    assert "IndexError: list index out of range" in result.stderr
    assert "kept as a case in tests/fragile.fuzz.test.yaml" in result.stderr
    kept = (project / "tests/fragile.fuzz.test.yaml").read_text("utf-8")
    assert kept.splitlines() == [
        "# Found by `lua fuzz`. A case passes when the tool answers.",
        "cases:",
        "  - name: found 1",
        "    tool: fragile",
        '    input: {"words": [""]}',
    ]
    assert lua("test", "--ci", cwd=project).exit_code == 1
    lua("fuzz", "fragile", "--examples", "12", "--ci", cwd=project)
    assert (project / "tests/fragile.fuzz.test.yaml").read_text("utf-8") == kept


def test_a_crash_is_a_failure_whatever_its_exit_code(lua: Lua, project: Path) -> None:
    document = json.loads(lua("fuzz", "crashing", "--examples", "12", "--ci", "--json", cwd=project).stdout)
    assert document["error"]["message"] == "crashing ended the process with exit(0)"
    assert document["input"]["number"] in range(502, 1001, 2)


def test_an_unknown_tool_and_a_senseless_number(lua: Lua, project: Path) -> None:
    unknown = lua("fuzz", "fragil", "--ci", cwd=project)
    assert (unknown.exit_code, "did you mean fragile" in unknown.stderr) == (3, True)
    assert lua("fuzz", "fragile", "--examples", "0", "--ci", cwd=project).exit_code == 2
