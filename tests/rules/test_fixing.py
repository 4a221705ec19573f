"""`--fix` from the outside: what a user's files look like after it, and that the project is fine then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lua_cli.project import open_project
from lua_cli.rules.fixes import plan_fixes, write_fixes
from tests.rules.projects import HEAD, WriteProject, agent, judged, tool

CONSTRUCTOR = (
    '    def __init__(self, path="/d", region="eu"):\n        self.path = path\n        self.region = region\n'
)


def fixed(root: Path) -> list[str]:
    """Applies fixes until there is nothing left to fix; gives the codes that remain."""
    project = open_project(root)
    for _ in range(10):
        found = judged(root)
        plan = plan_fixes(found, project)
        if not plan.changes:
            return [diagnostic.code for diagnostic in found]
        write_fixes(plan, project)
    raise AssertionError("fixes undo each other")


def test_a_missing_import_is_added(write_project: WriteProject) -> None:
    files = {
        "skills/tools/search.py": HEAD + tool("Search"),
        "skills/refunds.py": 'from lua_cli import LuaSkill\n\nrefunds = LuaSkill(name="refunds", context="c")\n',
        "other/unrelated.py": "class NotSearch: ...\nSearch_ = 1\n",
        "agent.py": '"""The entry."""\n\nfrom lua_cli import LuaAgent, LuaSkill\n\n'
        + agent("Search()").replace("[skill]", "[skill, refunds]"),
    }
    root = write_project(files)
    assert fixed(root) == []
    assert (
        (root / "agent.py")
        .read_text()
        .startswith(
            '"""The entry."""\n\nfrom lua_cli import LuaAgent, LuaSkill\n'
            "from skills.tools.search import Search\nfrom skills.refunds import refunds\n\nskill = "
        )
    )


@pytest.mark.parametrize(
    "extra",
    [
        {"again.py": "class Search: ...\n"},
        {"tools.py": "x = 1\n"},
    ],
)
def test_no_import_where_it_is_not_clear_which(write_project: WriteProject, extra: Mapping[str, str]) -> None:
    files = {"tools.py": HEAD + tool("Search"), "agent.py": "from lua_cli import *\n" + agent("Search()"), **extra}
    root = write_project(files)
    assert fixed(root) == ["lua/unresolved-primitive-ref"]
    assert (root / "agent.py").read_text() == files["agent.py"]


def test_every_call_of_a_list_gets_its_subclass(write_project: WriteProject) -> None:
    tools = HEAD + tool("Search", body=CONSTRUCTOR) + tool("Other", body=CONSTRUCTOR)
    entry = (
        "from lua_cli import LuaAgent, LuaSkill\nimport tools\nfrom tools import Other as O\n\n"
        'made = tools.Search("/acme")  # the shop\n\n' + agent("made", "O(region='us')")
    )
    root = write_project({"tools.py": tools, "agent.py": entry})
    assert fixed(root) == []
    assert (root / "agent.py").read_text() == (
        "from lua_cli import LuaAgent, LuaSkill\nimport tools\nfrom tools import Other as O\n\n\n"
        "class AcmeSearch(tools.Search):\n"
        '    path = "/acme"\n\n'
        "    def __init__(self) -> None:\n"
        "        super().__init__(self.path)\n\n\n"
        "made = AcmeSearch()  # the shop\n\n\n"
        "class UsOther(O):\n"
        "    region = 'us'\n\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__(region=self.region)\n\n\n" + agent("made", "UsOther()")
    )


def test_a_required_argument_is_fixed_with_the_same_stroke(write_project: WriteProject) -> None:
    source = (
        HEAD
        + "import dataclasses\n\n\n@dataclasses.dataclass\n"
        + tool("A")
        .replace("    input_schema", '    path: str = ""\n    input_schema')
        .replace('    path: str = ""\n', "    path: str\n")
    )
    root = write_project({"agent.py": source + agent('A("/x")')})
    assert {d.code for d in judged(root)} == {"lua/constructor-args-required", "lua/constructor-args-dropped"}
    assert fixed(root) == []


def test_what_new_takes_is_not_fixed(write_project: WriteProject) -> None:
    body = "    def __new__(cls, path='/d'):\n        return super().__new__(cls)\n"
    root = write_project({"agent.py": HEAD + tool("A", body=body) + agent("A('/x')")})
    (found,) = judged(root)
    assert (found.code, found.fix) == ("lua/constructor-args-dropped", None)


def test_a_pydantic_tool_gets_its_values_through_the_constructor(write_project: WriteProject) -> None:
    source = (
        HEAD
        + "from typing import ClassVar\n\n\n"
        + (
            "class A(LuaTool, BaseModel):\n"
            '    name: ClassVar[str] = "a"\n'
            '    description: ClassVar[str] = "Tell all about the subject of A when the customer asks."\n'
            '    path: str = "/d"\n'
            "    def execute(self, input: In): return self.path\n\n\n"
        )
    )
    root = write_project({"agent.py": source + agent("A(path='/x')")})
    assert fixed(root) == []
    assert (
        "class XA(A):\n    def __init__(self) -> None:\n        super().__init__(path='/x')\n"
        in (root / "agent.py").read_text()
    )


@pytest.mark.parametrize("element", ["A", "tools.A"])
def test_classes_are_called(write_project: WriteProject, element: str) -> None:
    entry = "from lua_cli import LuaAgent, LuaSkill\nimport tools\nfrom tools import A\n" + agent(f"{element}  # first")
    entry = entry.replace("# first,", ",  # first").replace(f"{element}  ,", f"{element},")
    root = write_project({"tools.py": HEAD + tool("A"), "agent.py": entry})
    assert fixed(root) == []
    assert (root / "agent.py").read_text() == entry.replace(f"{element},  # first", f"{element}(),  # first")
