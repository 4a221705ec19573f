"""`lua export agent-skill`, judged by the format's reference validator."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from skills_ref import validate  # type: ignore[import-untyped]
from skills_ref.parser import read_properties  # type: ignore[import-untyped]

from tests.conftest import REPOSITORY, Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]


@pytest.mark.parametrize("template", ["orders", "search-docs", "minimal", "order-flow"])
def test_the_reference_validator_accepts_it(lua: Lua, tmp_path: Path, template: str) -> None:
    root = tmp_path / "project"
    shutil.copytree(REPOSITORY / "templates" / template, root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    done = lua("export", "agent-skill", "--json", cwd=root)
    assert done.exit_code == 0, done.stderr
    skills = json.loads(done.stdout)["skills"]
    assert skills
    for skill in skills:
        assert validate(root / skill["path"]) == []


def test_what_is_in_it(lua: Lua, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(REPOSITORY / "templates/orders", root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
    done = lua("export", "agent-skill", "--output", "out", cwd=root)
    assert done.stdout == "orders  out/orders\nrefunds  out/refunds\n"
    assert read_properties(root / "out/orders").description == "Where orders are, and what may be returned"
    text = (root / "out/orders/SKILL.md").read_text("utf-8")
    assert "Order numbers look like A-1001 and stand on the receipt." in text
    assert "- `find_orders`: List a customer's orders by e-mail address, the newest first." in text
    assert "`lua mcp --skill orders` serves them" in text
    tools = json.loads((root / "out/orders/references/tools.json").read_text("utf-8"))
    assert [tool["name"] for tool in tools] == ["lookup_order", "find_orders", "check_refund"]
    assert "# Refunds, returns and exchanges" in (root / "out/refunds/SKILL.md").read_text("utf-8")
    assert not (root / "out/refunds/references").exists()
    again = lua("export", "agent-skill", "--output", "out", cwd=root)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "out/orders/SKILL.md is there already" in again.stderr
    assert lua("export", "agent-skill", "--output", "out", "--force", "--skill", "orders", cwd=root).exit_code == 0
    assert lua("export", "agent-skill", "--skill", "x", cwd=root).exit_code == 3


def test_names_and_words_that_the_format_does_not_know(lua: Lua, write_project: WriteProject) -> None:
    agent = (
        "from lua_cli import LuaAgent, LuaSkill\n\n"
        f"one = LuaSkill(name='Order_Status: \"Übersicht\" --2', description='a: \"b\" # c\\n' + {'x' * 2000!r}, context='c')\n"
        "agent = LuaAgent(name='a', persona='p', skills=[one])\n"
    )
    root = write_project({"agent.py": agent})
    done = lua("export", "agent-skill", "--json", cwd=root)
    (skill,) = json.loads(done.stdout)["skills"]
    assert skill["path"] == "agent-skills/order-status-übersicht-2"
    assert validate(root / skill["path"]) == []
    properties = read_properties(root / skill["path"])
    assert properties.description.startswith('a: "b" # c xxx')
    assert len(properties.description) == 1024
