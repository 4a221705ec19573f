"""The answer of a compile is the second reader's, whatever was made of the first one's before."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lua_cli.bundle import open_artifact
from lua_cli.source import beside, ir, readings
from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

AGENT = """\
from lua_cli import LuaAgent, LuaSkill, LuaTool


class Find(LuaTool):
    name = "NAME"
    description = "Find an order. Use when the customer asks for one."
    input_schema = {"type": "object", "properties": {"order": {"type": "string"}}}

    def execute(self, input):
        return input["order"]


agent = LuaAgent(name="shop", persona="You sell tea.", skills=[LuaSkill("SKILL", "Orders", "For orders.", [Find()])])
"""
GOOD, BAD = "find_order", "find an order"


def agent(skill: str = "orders") -> str:
    return AGENT.replace("NAME", GOOD).replace("SKILL", skill)


def changed(value: Any, old: str, new: str) -> Any:
    """The same facts with another constant."""
    if isinstance(value, tuple):
        parts = [changed(part, old, new) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return new if isinstance(value, str) and value == old else value


@pytest.fixture(params=["here", "beside"])
def reads_differently(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """libcst, in this process or in the one beside, reads a constant as another."""
    before = readings.readings_of
    if request.param == "here":
        monkeypatch.setattr(beside, "can_begin", lambda: False)
    elif not beside.can_begin():
        pytest.skip("no second core")

    def differ(old: str, new: str) -> None:
        def other(texts: Mapping[int, str]) -> dict[int, ir.Stmt]:
            return {at: changed(reading, old, new) for at, reading in before(texts).items()}

        monkeypatch.setattr(readings, "readings_of", other)

    return differ


def compiled(lua: Lua, root: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(lua("compile", "--json", cwd=root).stdout)
    return document


def test_document_and_artifacts_are_of_the_second_reading(
    write_project: WriteProject, lua: Lua, reads_differently: Callable[[str, str], None]
) -> None:
    root = write_project({"agent.py": agent()})
    reads_differently("orders", "teas")
    for _ in range(2):  # what was read differently is not taken to agree the next time
        document = compiled(lua, root)
        assert [skill["name"] for skill in document["skills"]] == ["teas"], document["diagnostics"]
        assert sorted(path.name for path in (root / ".lua/artifacts").iterdir()) == ["manifest.json", "teas.luapkg"]
        assert open_artifact(root / ".lua/artifacts/teas.luapkg").skill == "teas"
        assert json.loads((root / ".lua/artifacts/manifest.json").read_bytes())["skills"] == document["skills"]
        (root / "more.py").write_text("X = 1\n")
        with (root / "agent.py").open("a") as file:
            file.write("\nimport more\n")


def test_what_only_the_second_reader_finds_leaves_no_artifacts(
    write_project: WriteProject, lua: Lua, reads_differently: Callable[[str, str], None]
) -> None:
    root = write_project({"agent.py": agent()})
    reads_differently(GOOD, BAD)
    document = compiled(lua, root)
    assert not document["ok"]
    assert "lua/tool-name-invalid" in [each["code"] for each in document["diagnostics"]]
    assert not (root / ".lua/artifacts").exists()


def test_what_only_the_first_reader_finds_is_not_said(
    write_project: WriteProject, lua: Lua, reads_differently: Callable[[str, str], None]
) -> None:
    root = write_project({"agent.py": agent("all orders/of tea")})
    reads_differently("all orders/of tea", "orders")
    document = compiled(lua, root)
    assert document["ok"], document["diagnostics"]
    assert open_artifact(root / ".lua/artifacts/orders.luapkg").skill == "orders"
