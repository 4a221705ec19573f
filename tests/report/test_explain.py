"""`lua explain`: pages, near names, and where a tool's members come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lua_cli.rules import all_rules
from tests.rules.projects import HEAD, WriteProject, agent, tool

Lua = Callable[..., Any]


def project(write_project: WriteProject) -> Path:
    base = HEAD + tool("Base", body="    path = '/d'\n") + "class Mixin:\n    def helper(self): ...\n\n"
    leaf = (
        "from base import Base, Mixin\n\n\nclass Leaf(Mixin, Base):\n    name = 'leaf'\n"
        '    description = "Tell what the leaf knows when the customer asks for it."\n    path = "/leaf"\n'
    )
    entry = "from lua_cli import LuaAgent, LuaSkill\nfrom leaf import Leaf\n" + agent("Leaf()")
    return write_project({"base.py": base, "leaf.py": leaf, "agent.py": entry})


def test_a_tool(write_project: WriteProject, lua: Lua) -> None:
    result = lua("explain", "leaf", cwd=project(write_project))
    assert result.exit_code == 0
    assert (
        result.stdout
        == (
            "leaf (leaf.Leaf)\n"
            "  is a tool: it derives from lua_cli.LuaTool\n"
            "  in the skill s, at agent.py:4\n"
            "\n"
            "bases, in Python's order\n"
            "  leaf.Leaf        leaf.py:4\n"
            "  base.Mixin       base.py:14\n"
            "  base.Base        base.py:7\n"
            "  lua_cli.LuaTool\n"
            "  abc.ABC\n"
            "  typing.Generic\n"
            "\n"
            "members, and who gives them\n"
            "  name          'leaf'                                                    Leaf   leaf.py:5\n"
            "  description   'Tell what the leaf knows when the customer asks for it.'  Leaf   leaf.py:6\n"
            "  input_schema  base.In                                                   Base   base.py:10\n"
            "  execute       base.Base.execute                                         Base   base.py:12\n"
            "  condition     none: always offered\n"
            "  voice_flags   none\n"
            "  helper                                                                  Mixin  base.py:15\n"
            "  path                                                                    Leaf   leaf.py:7\n"
            "\n"
            "files in the artifact of s, and why\n"
            "  base.py  imported by leaf.py:1\n"
            "  leaf.py  the module of tool leaf\n"
        )
        or result.stdout
    )


def test_a_class_that_is_no_tool(write_project: WriteProject, lua: Lua) -> None:
    result = lua("explain", "base.Mixin", cwd=project(write_project))
    assert result.exit_code == 0
    assert "  is not a tool: no base leads to lua_cli.LuaTool\n" in result.stdout


def test_why_a_class_cannot_be_built(write_project: WriteProject, lua: Lua) -> None:
    source = HEAD + "class Part(LuaTool):\n    name = 'part'\n\n" + agent("Part()")
    result = lua("explain", "Part", cwd=write_project({"agent.py": source}))
    assert "  cannot be built: not implemented: execute (asked for by LuaTool)\n" in result.stdout


def test_a_base_that_is_not_known_says_why(write_project: WriteProject, lua: Lua) -> None:
    source = HEAD + "import gone\n\n\nclass Leaf(gone.Base):\n    name = 'leaf'\n\n" + agent("Leaf()")
    result = lua("explain", "leaf", cwd=write_project({"agent.py": source}))
    assert "  may be a tool: a base is only known when the code runs\n" in result.stdout
    assert "  lua/unresolved-base at agent.py:10" in result.stdout
    assert "bases, as written\n  gone.Base (agent.py:10)\n" in result.stdout


def test_rules_with_and_without_prefix(tmp_path: Path, lua: Lua) -> None:
    for subject in ("lua/not-a-tool", "not-a-tool"):
        result = lua("explain", subject, cwd=tmp_path)
        assert result.exit_code == 0
        assert result.stdout.startswith(
            "# lua/not-a-tool (error)\n\nSomething is registered as a tool that is none.\n\n"
        )
    listed = lua("explain", cwd=tmp_path).stdout
    assert [line.split()[0] for line in listed.splitlines()] == [rule.code for rule in all_rules()]


def test_near_names(write_project: WriteProject, tmp_path: Path, lua: Lua) -> None:
    result = lua("explain", "laef", cwd=project(write_project))
    assert (result.exit_code, result.stdout) == (3, "")
    assert "did you mean `leaf`" in result.stderr
    for subject in ("lua/not-a-tol", "not-a-tol"):
        result = lua("explain", subject, cwd=tmp_path)
        assert result.exit_code == 3
        assert "not-a-tool`" in result.stderr
