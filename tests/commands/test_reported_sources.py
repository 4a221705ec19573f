"""Ways to write tools that have gone wrong for people elsewhere, through the commands: bases and how they are named,
what replaces or wraps a class or its `execute`, fields, constructors, and registration."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
Write = Callable[[Mapping[str, str]], Path]

INPUT = """\
from pydantic import BaseModel

from lua_cli import LuaTool


class In(BaseModel):
    q: str = ""


"""


def tool(name: str, bases: str = "LuaTool", body: str = "def execute(self, input): return 1") -> str:
    """A class statement: `name` is the tool's and, with a capital, the class's."""
    return (
        f"class {name.title()}({bases}):\n"
        f'    name = "{name}"\n'
        f'    description = "Look up {name} in the list. Use when the customer asks for {name}."\n'
        f"    input_schema = In\n"
        f"    {body}\n\n"
    )


def agent(imports: str, tools: str) -> str:
    return (
        f"from lua_cli import LuaAgent, LuaSkill\n{imports}\n"
        f'skill = LuaSkill(name="s", context="c", tools=[{tools}])\n'
        'agent = LuaAgent(name="a", skills=[skill])\n'
    )


def compiled(lua: Lua, root: Path, *flags: str) -> tuple[int, dict[str, Any]]:
    result = lua("compile", "--json", "--ignore", "tool-confusion", *flags, cwd=root)
    return result.exit_code, json.loads(result.stdout)


def said(document: dict[str, Any]) -> list[tuple[str, str, str, int]]:
    return [(d["severity"], d["code"], d["path"], d["line"]) for d in document["diagnostics"]]


def ran(lua: Lua, root: Path, name: str) -> Any:
    """What a tool gives; nothing is said besides."""
    result = lua("test", "--ci", "skill", "--name", name, "--input", "{}", cwd=root)
    assert (result.exit_code, result.stderr) == (0, ""), result.stdout + result.stderr
    return json.loads(result.stdout)


def test_a_base_that_only_derives_from_abc_is_no_tool_of_the_project(lua: Lua, write_project: Write) -> None:
    """A class is a tool of the project through its registration alone; nothing is said about its base."""
    base = tool("api", "LuaTool, ABC", 'path = "/x"\n    async def execute(self, input): return self.path')
    leaf = (
        'class Orders(Api):\n    name = "orders"\n    description = "List the orders of a customer."\n    path = "/o"\n'
    )
    root = write_project(
        {
            "agent.py": agent("from t import Orders, Api", "Orders()"),
            "t.py": "from abc import ABC\n" + INPUT + base + leaf,
        }
    )
    code, document = compiled(lua, root)
    assert (code, said(document), [t["name"] for t in document["tools"]]) == (0, [], ["orders"])
    assert ran(lua, root, "orders") == "/o"


@pytest.mark.parametrize(
    ("stars", "file"),
    [("http", "http"), ("http rest", "rest"), ("rest http", "http"), ("http none", "http"), ("http private", "http")],
)
def test_a_base_behind_star_exports_of_a_package(lua: Lua, write_project: Write, stars: str, file: str) -> None:
    """The last star source that really exports the name gives it, in the chain as in the run."""
    root = write_project(
        {
            "agent.py": agent("from tools.t import T", "T()"),
            "kit/__init__.py": "from . import bases\n",
            "kit/bases/__init__.py": "".join(f"from .{name} import *\n" for name in stars.split()),
            "kit/bases/http.py": INPUT + tool("base", body='def execute(self, input): return "http"'),
            "kit/bases/rest.py": INPUT + tool("base", body='def execute(self, input): return "rest"'),
            "kit/bases/private.py": '__all__ = ["other"]\nother = 1\nBase = None\n',
            "kit/bases/none.py": "other = 1\n",
            "tools/t.py": 'from kit import bases\n\n\nclass T(bases.Base):\n    name = "t"\n',
        }
    )
    explained = lua("explain", "t", cwd=root)
    assert explained.exit_code == 0
    chain = explained.stdout.partition("bases, in Python's order\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split() for line in chain[:3]] == [
        ["tools.t.T", "tools/t.py:4"],
        [f"kit.bases.{file}.Base", f"kit/bases/{file}.py:10"],
        ["lua_cli.LuaTool"],
    ]
    assert ran(lua, root, "t") == file


def test_a_mixin_gives_an_abstract_method_only_when_it_stands_first(lua: Lua, write_project: Write) -> None:
    needs = "class Needs(LuaTool, ABC):\n    @abstractmethod\n    def fetch(self): ...\n    def execute(self, input): return self.fetch()\n\n"
    http = "class Http:\n    def fetch(self): return 1\n\n"
    parts = "from abc import ABC, abstractmethod\n" + INPUT + needs + http
    source = parts + tool("right", "Http, Needs", "limit = 1") + tool("wrong", "Needs, Http", "limit = 1")
    root = write_project({"agent.py": agent("from t import Right, Wrong", "Right(), Wrong()"), "t.py": source})
    code, document = compiled(lua, root)
    assert (code, said(document)) == (1, [("error", "lua/abstract-tool", "agent.py", 3)])
    wrong = document["diagnostics"][0]
    assert wrong["message"] == "Wrong cannot be built: `fetch` is not implemented (Needs asks for it)"
    assert wrong["help"] == "Http has `fetch` but stands after Needs: put it first in the bases"
    (root / "agent.py").write_text(agent("from t import Right", "Right()"), encoding="utf-8")
    assert ran(lua, root, "right") == 1


DECORATORS = """\
def traced(cls):
    cls.traced = True
    return cls


def wrap_in_function(cls):
    def made(*args):
        return cls(*args)
    return made
"""


def test_decorators_that_return_the_class_are_followed(lua: Lua, write_project: Write) -> None:
    source = (
        "import functools\nfrom dataclasses import dataclass\nfrom typing import final\n\nfrom decorators import traced\n"
        + INPUT + "@traced\n" + tool("patched", body="def execute(self, input): return self.traced")
        + "@final\n@functools.total_ordering\n@dataclass\n"
        + tool("plain", body="def __lt__(self, other): return False\n    def execute(self, input): return 1")
    )  # fmt: skip
    root = write_project(
        {"agent.py": agent("from t import *", "Patched(), Plain()"), "t.py": source, "decorators.py": DECORATORS}
    )
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [])
    assert (ran(lua, root, "patched"), ran(lua, root, "plain")) == (True, 1)


@pytest.mark.parametrize("registered", ["B()", "C()"])
def test_a_decorator_that_returns_a_function_is_named(lua: Lua, write_project: Write, registered: str) -> None:
    """At the class that is replaced, whether it is registered or the base of what is."""
    source = "from decorators import wrap_in_function\n" + INPUT + "@wrap_in_function\n" + tool("b")
    source += 'class C(B):\n    name = "c"\n'
    root = write_project(
        {"agent.py": agent("from t import B, C", registered), "t.py": source, "decorators.py": DECORATORS}
    )
    for command in (["compile"], ["test", "--ci", "skill", "--name", registered[0].lower(), "--input", "{}"]):
        result = lua(*command, cwd=root)
        assert result.exit_code == 1
        assert "t.py:12:7: error[lua/dynamic-class] B is a function after `@wrap_in_function`" in (
            result.stdout + result.stderr
        )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("@timed\n    async def execute(self, input): return {'ok': True}", {"ok": True}),
        ("def execute(self, input): return {'ok': True}", {"ok": True}),
        ("@staticmethod\n    async def execute(input): return {'ok': True}", {"ok": True}),
        ("async def _run(self, ok, input): return {'ok': ok}\n    execute = partialmethod(_run, True)", {"ok": True}),
        ("async def execute(self, input):\n        yield 1\n        yield 2", [1, 2]),
        ("def execute(self, input):\n        yield 1\n        yield 2", [1, 2]),
    ],
    ids=["wrapped", "sync", "static", "partial", "async-generator", "generator"],
)
def test_what_execute_gives_is_awaited_whatever_hides_it(
    lua_process: Lua, write_project: Write, body: str, expected: object
) -> None:
    """The value decides, not what `execute` looks like; generators are collected."""
    timed = "def timed(fn):\n    def inner(*a, **k): return fn(*a, **k)\n    return inner\n\n\n"
    source = "from functools import partialmethod\n" + INPUT + timed + tool("t", body=body)
    root = write_project({"agent.py": agent("from t import T", "T()"), "t.py": source})
    assert ran(lua_process, root, "t") == expected


def test_fields_may_be_overridden_in_every_spelling(lua: Lua, write_project: Write) -> None:
    """With and without annotation, as a ClassVar, in a dataclass: what is read is what runs."""
    source = "from dataclasses import dataclass\nfrom typing import ClassVar\n" + INPUT
    source += (
        'class Base(LuaTool):\n    name: str = "base"\n    path: str = "/default"\n'
        '    description: str = "Open a page of the handbook by its path."\n    input_schema = In\n'
        "    def execute(self, input): return [self.name, self.path]\n"
        'class L1(Base):\n    name = "l1"\n    path = "/one"\n'
        'class L2(Base):\n    name: str = "l2"\n    path: str = "/two"\n'
        'class L3(Base):\n    name: ClassVar[str] = "l3"\n'
        '@dataclass\nclass L4(Base):\n    name: str = "l4"\n    path: str = "/four"\n'
    )
    root = write_project({"agent.py": agent("from t import *", "L1(), L2(), L3(), L4()"), "t.py": source})
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [])
    paths = {"l1": "/one", "l2": "/two", "l3": "/default", "l4": "/four"}
    assert [t["name"] for t in document["tools"]] == list(paths)
    assert [ran(lua, root, name) for name in paths] == [[name, path] for name, path in paths.items()]


def test_a_constructor_without_parameters_may_set_what_it_likes(lua: Lua, write_project: Write) -> None:
    body = (
        "def __init__(self):\n        self._cache = {}\n        self.client = object()\n        super().__init__()\n"
        "    async def execute(self, input): return sorted(vars(self))"
    )
    root = write_project({"agent.py": agent("from t import T", "T()"), "t.py": INPUT + tool("t", body=body)})
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [])
    assert ran(lua, root, "t") == ["_cache", "client"]


def test_every_call_with_arguments_is_told_where_it_stands(lua: Lua, write_project: Write) -> None:
    """Positional, keyword, starred and aliased; a required parameter is an error."""
    init = 'def __init__(self, path="/d", /, *, region="eu", **kw): ...\n    def execute(self, input): return 1'
    calls = ['S("/acme")', 'S(region="us")', "S(*ARGS)", "S(**CFG)", 'Alias("/x")', "S()"]
    skills = [f'LuaSkill(name="s{number}", context="c", tools=[{call}]),\n' for number, call in enumerate(calls)]
    source = (
        "from lua_cli import LuaAgent, LuaSkill\nfrom t import Alias, S\n"
        f'ARGS, CFG = ("/q",), {{"region": "x"}}\nagent = LuaAgent(name="a", skills=[\n{"".join(skills)}])\n'
    )
    root = write_project({"agent.py": source, "t.py": INPUT + tool("s", body=init) + "Alias = S\n"})
    code, document = compiled(lua, root, "--check")
    column = skills[0].index(calls[0]) + 1
    found = [(d["code"], d["severity"], d["line"], d["column"]) for d in document["diagnostics"]]
    assert (code, found) == (0, [("lua/constructor-args-dropped", "warning", line, column) for line in range(5, 10)])
    assert {d["help"] for d in document["diagnostics"]} == {
        "subclass S, override the field there, and register the subclass without arguments"
    }
    assert compiled(lua, root, "--check", "--strict")[0] == 1
    (root / "t.py").write_text((root / "t.py").read_text().replace('path="/d", /', "path, /"), encoding="utf-8")
    code, document = compiled(lua, root, "--check")
    errors = [d["message"] for d in document["diagnostics"] if d["severity"] == "error"]
    assert (code, set(errors)) == (1, {"S cannot be built with no arguments: `path` has no default"})


def test_tools_that_are_added_before_and_after_the_constructor(lua: Lua, write_project: Write) -> None:
    """A tool under a condition that only a run knows is bundled, and said."""
    source = (
        "import os\nimport common\nfrom lua_cli import LuaAgent, LuaSkill\nfrom t import A, B, D, E\n"
        'FEATURE = os.environ.get("FEATURE")\ntools = [A()]\nif FEATURE: tools.append(B())\n'
        'skill = LuaSkill(name="s", context="c", tools=tools + [D()])\nskill.add_tool(E())\n'
        'agent = LuaAgent(name="a", skills=[*common.SKILLS, skill])\n'
    )
    shared = (
        'from lua_cli import LuaSkill\nfrom t import F\nSKILLS = [LuaSkill(name="shared", context="c", tools=[F()])]\n'
    )
    root = write_project({"agent.py": source, "common.py": shared, "t.py": INPUT + "".join(map(tool, "abdef"))})
    code, document = compiled(lua, root)
    assert (code, {skill["name"]: skill["tools"] for skill in document["skills"]}) == (
        0,
        {"shared": ["f"], "s": ["a", "b", "d", "e"]},
    )
    assert said(document) == [("warning", "lua/ambiguous-binding", "agent.py", 7)]
    assert ran(lua, root, "b") == 1
