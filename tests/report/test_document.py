"""The JSON document of a compile: what is listed, and what is null."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lua_cli.analysis import analyse
from lua_cli.pipeline import compile_project
from lua_cli.project import open_project
from lua_cli.report import build_document
from lua_cli.source import SourceIndex
from tests.conftest import REPOSITORY

WriteProject = Callable[[Mapping[str, str]], Path]

TOOLS = """\
import os

from pydantic import BaseModel

from lua_cli import LuaTool


class In(BaseModel):
    text: str


class Search(LuaTool):
    name = "search"
    description = "Search the documentation. Use when the customer asks how something works."
    input_schema = In

    def execute(self, input: In) -> str:
        return input.text


class Gated(Search):
    name = "gated"
    description = "Search the secret documentation for people who may see it."
    input_schema = {"type": "object"}

    def condition(self) -> bool:
        return False


class Plain:
    name = "plain"

    def execute(self, input: In) -> str:
        return ""


class Unnamed(Search):
    name = os.environ.get("NAME")
    description = "Search what nobody has named so far, when the customer asks for it."
"""
AGENT = """\
from lua_cli import LuaAgent, LuaSkill

from tools import Gated, Plain, Search, Unnamed

docs = LuaSkill(name="docs", context="Answer questions.", tools=[{}])
more = LuaSkill(name="more", context="Answer more questions.", tools=[Search()])
lost = LuaSkill(name="lost", context="Never seen.", tools=[Search()])
agent = LuaAgent(name="acme", skills=[docs, more])
"""


def document(root: Path) -> dict[str, Any]:
    project = open_project(root)
    found = build_document(project, analyse(project, SourceIndex(project)), [], ok=True)
    assert json.loads(json.dumps(found)) == found
    return found


def test_what_is_registered(write_project: WriteProject) -> None:
    found = document(write_project({"tools.py": TOOLS, "agent.py": AGENT.format("Search(), Gated()")}))
    assert list(found) == ["version", "ok", "entry", "agents", "skills", "tools", "classes", "diagnostics"]
    assert (found["version"], found["ok"], found["entry"]) == (1, True, "agent.py")
    assert found["agents"] == [{"name": "acme", "path": "agent.py", "line": 8}]
    assert found["skills"] == [
        {
            "name": "docs",
            "path": "agent.py",
            "line": 5,
            "tools": ["search", "gated"],
            "artifact": None,
            "digest": None,
        },
        {"name": "more", "path": "agent.py", "line": 6, "tools": ["search"], "artifact": None, "digest": None},
    ]
    assert found["tools"][0] == {
        "name": "search",
        "class": "tools.Search",
        "path": "tools.py",
        "line": 12,
        "description": "Search the documentation. Use when the customer asks how something works.",
        "inputSchema": None,
        "hasCondition": False,
        "skills": ["docs", "more"],
    }
    assert (found["tools"][1]["inputSchema"], found["tools"][1]["hasCondition"]) == ({"type": "object"}, True)


def test_classes(write_project: WriteProject) -> None:
    found = document(write_project({"tools.py": TOOLS, "agent.py": AGENT.format("Plain(), Unnamed()")}))
    facts = {"abstract": False, "instantiable": True}
    assert found["classes"] == [
        {"class": "tools.Gated", "isTool": True, **facts, "name": "gated"},
        {"class": "tools.Plain", "isTool": False, **facts, "name": "plain"},
        {"class": "tools.Search", "isTool": True, **facts, "name": "search"},
        {"class": "tools.Unnamed", "isTool": True, **facts, "name": None},
    ]
    assert [(tool["class"], tool["name"]) for tool in found["tools"]] == [
        ("tools.Unnamed", None),
        ("tools.Search", "search"),
    ]
    assert found["skills"][0]["tools"] == []


def test_a_duplicate_is_listed_twice(write_project: WriteProject) -> None:
    found = document(write_project({"tools.py": TOOLS, "agent.py": AGENT.format("Search(), Search()")}))
    assert found["skills"][0]["tools"] == ["search", "search"]
    assert [tool["skills"] for tool in found["tools"]] == [["docs", "more"], ["docs"]]


def test_a_built_project_has_artifacts_and_schemas(write_project: WriteProject) -> None:
    root = write_project({"tools.py": TOOLS, "agent.py": AGENT.format("Search()").replace("lost", "# lost")})
    compiled = compile_project(open_project(root))
    skill, tool = compiled.document["skills"][0], compiled.document["tools"][0]
    assert (root / skill["artifact"]).is_file()
    assert skill["digest"] == compiled.artifacts["docs"].digest
    assert tool["inputSchema"]["properties"]["text"]["type"] == "string"


def test_the_documented_document_has_the_keys_of_a_real_one(write_project: WriteProject) -> None:
    page = (REPOSITORY / "docs" / "compile-json.md").read_text("utf-8")
    shown = json.loads(page.partition("```json\n")[2].partition("```")[0])
    root = write_project({"tools.py": TOOLS, "agent.py": AGENT.format("Search").replace("lost", "# lost")})
    real = compile_project(open_project(root), until="bundling").document
    assert keys(shown) == keys(real)


def keys(value: object) -> object:
    """The keys of a document at every level, from the first element of each list that has one."""
    if isinstance(value, dict):
        return {key: keys(nested) for key, nested in value.items() if key != "inputSchema"}
    if isinstance(value, list):
        return [keys(value[0])] if value and isinstance(value[0], dict) else []
    return None
