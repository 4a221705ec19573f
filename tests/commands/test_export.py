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


FLOWS = {
    "flows/a.yaml": """\
resources:
  templates:
    - {resource: docs/refunds.md, as: refunds-text}
    - {resource: docs/plain.txt, as: plain-text}
flows:
  - name: support
    process:
      - {type: set-variable, name: remember, settings: {name: shop, value: '"acme"'}}
      - type: ai-agent
        name: Shop_Assistant
        prompt: "You answer customers of a shop. You work for {{ vars.shop }}, always. Stay polite."
        guardrail: Refuse what is no question.
        tools:
          - name: lookup_order
            description: Look up one order by its id. Use when the customer names an order.
            process: [{type: set-payload, settings: {value: '1.0'}}]
        skills:
          - {name: Refunds & more, description: When an order is refunded., resource: refunds-text}
          - {name: refunds-more, description: When nobody knows., resource: plain-text}
        default: [{type: set-payload, settings: {value: '"A person will answer."'}}]
""",
    "flows/docs/refunds.md": "Up to {{ 30 }} days.\n",
    "flows/docs/plain.txt": "Ask a person.\n",
}


def test_an_agent_in_yaml_has_its_documents_and_its_guardrail(lua: Lua, write_project: WriteProject) -> None:
    root = write_project(FLOWS)
    done = lua("export", "agent-skill", cwd=root)
    folder = root / "agent-skills/shop-assistant"
    assert (done.exit_code, done.stdout) == (0, "Shop_Assistant  agent-skills/shop-assistant\n"), done.stderr
    assert done.stderr.splitlines() == [
        "Shop_Assistant: no flow describes its agent: the description is put together, write what it does and when to"
        " use it",
        "Shop_Assistant: expressions stay as {{ … }}, and nobody fills them in: the prompt, references/Refunds-more.md",
        "Shop_Assistant: left out is what the flow does beside the agent: remember, default",
    ]
    assert validate(folder) == []
    assert read_properties(folder).description == (
        "You answer customers of a shop. Stay polite. "
        "Use for: Look up one order by its id; When an order is refunded; When nobody knows."
    )
    text = (folder / "SKILL.md").read_text("utf-8")
    assert "You work for {{ vars.shop }}, always." in text
    assert "## Guardrail\n\nRefuse what is no question.\n" in text
    assert "- [Refunds & more](references/Refunds-more.md): When an order is refunded.\n" in text
    assert "- [refunds-more](references/refunds-more.txt): When nobody knows.\n" in text
    assert (folder / "references/Refunds-more.md").read_text("utf-8") == "Up to {{ 30 }} days.\n"
    assert (folder / "references/refunds-more.txt").read_text("utf-8") == "Ask a person.\n"
    assert [tool["name"] for tool in json.loads((folder / "references/tools.json").read_text("utf-8"))] == [
        "lookup_order"
    ]


def test_a_context_that_stands_for_a_description_is_said(lua: Lua, write_project: WriteProject) -> None:
    agent = (
        "from lua_cli import LuaAgent, LuaSkill\n\n"
        "agent = LuaAgent(name='a', persona='p', skills=[LuaSkill(name='s', description='', context='Greet.')])\n"
    )
    done = lua("export", "agent-skill", "--json", cwd=write_project({"agent.py": agent}))
    (skill,) = json.loads(done.stdout)["skills"]
    assert [note.partition(":")[0] for note in skill["notes"]] == ["the description is the context"]
