"""Rules that look at whole modules: what their import does, what they are called, what their models say."""

from __future__ import annotations

import venv

import pytest

from tests.rules.projects import HEAD, WriteProject, agent, judged, lines, tool


def of_module(write_project: WriteProject, source: str) -> list[str]:
    root = write_project({"agent.py": source + "\n" + HEAD + tool("T") + agent("T()")})
    return lines(root, judged(root))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('print("hello")', 'print("hello")'),
        ('import os\nKEY = os.environ["KEY"]', 'os.environ["KEY"]'),
        ('from os import environ as e\nKEY = e["KEY"]', 'e["KEY"]'),
        ("import requests as r\nr.get('https://a.example')", "r.get('https://a.example')"),
        ("import subprocess\nfor x in 'ab':\n    subprocess.run([x])", "subprocess.run([x])"),
        ("raise SystemExit(3)", "raise SystemExit(3)"),
        ("import sys\nif len(sys.argv) > 1:\n    sys.exit()", "sys.exit()"),
        ("class A:\n    out = open('x', mode='w')", "open('x', mode='w')"),
        ("def f(x=print('default')): ...", "print('default')"),
        ("from lua_cli import env\nKEY = env('KEY')", "env('KEY')"),
        ("try:\n    import time\n    time.sleep(1)\nexcept ValueError:\n    pass", "time.sleep(1)"),
    ],
)
def test_what_happens_at_import(write_project: WriteProject, source: str, said: str) -> None:
    (line,) = of_module(write_project, source)
    assert line.startswith(f"import-side-effect warning: {said}")


@pytest.mark.parametrize(
    "source",
    [
        'if __name__ == "__main__":\n    print("hello")',
        "def f():\n    print('hello')",
        "f = lambda: print('hello')",
        "import os\nKEY = os.environ.get('KEY')\nOTHER = os.getenv('OTHER')",
        "import os\nHERE = os.path.dirname(__file__)",
        "print = len\nprint('hello')",
        "from lua_cli import env\nKEY = env('KEY', 'default')",
        "with open(__file__) as f:\n    TEXT = f.read()",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    print('x')",
    ],
)
def test_what_is_fine_at_import(write_project: WriteProject, source: str) -> None:
    assert of_module(write_project, source) == []


def test_modules_that_shadow_are_reported_once_a_file(write_project: WriteProject) -> None:
    files = {
        "tools/json.py": HEAD + tool("J1") + tool("J2"),
        "tools/httpx.py": HEAD + tool("H"),
        "tools/lua_cli.py": HEAD + tool("L"),
        "tools/helper/email.py": "X = 1\n",
        "tools/mine.py": "import json\nimport tools.helper.email\n" + HEAD + tool("M", body="    x = json.dumps(1)\n"),
        "agent.py": "from tools.json import J1, J2\nfrom tools.httpx import H\nfrom tools.lua_cli import L\n"
        "from tools.mine import M\nfrom lua_cli import LuaAgent, LuaSkill\n"
        + agent("J1()", "J2()", "H()", "L()", "M()"),
    }
    found = judged(write_project(files))
    assert [(d.code, d.message) for d in found] == [
        ("lua/shadows-module", "`tools/httpx.py` has the name of the installed package `httpx`"),
        ("lua/shadows-module", "`tools/json.py` has the name of the standard library's `json`"),
        ("lua/shadows-module", "`tools/lua_cli.py` has the name of the installed package `lua_cli`"),
    ]


def test_arrays_of_anything(write_project: WriteProject) -> None:
    models = (
        "from typing import Any, Annotated, ClassVar, List, Optional\nfrom pydantic import BaseModel, Field\n"
        "class Nested(BaseModel):\n    rows: list[Any]\n    ok: list[str]\n\n"
        "class Base(BaseModel):\n    inherited: 'list'\n\n"
        "class In(Base):\n"
        "    tags: list\n    pairs: tuple\n    ids: set[int]\n    old: List\n    maybe: Optional[list] = None\n"
        "    union: list | None = None\n    deep: dict[str, list[Nested]]\n    noted: Annotated[list, Field(max_length=3)]\n"
        "    known: ClassVar[list] = []\n    _private: list = []\n"
    )
    files = {
        "pack/models.py": models,
        "pack/tools.py": "from lua_cli import LuaTool\nfrom .models import In\n" + tool("T"),
        "agent.py": "from pack.tools import T\nfrom lua_cli import LuaAgent, LuaSkill\n" + agent("T()"),
    }
    found = judged(write_project(files))
    assert {d.code for d in found} == {"lua/untyped-array"}
    assert [d.message.split("`")[1] for d in found] == [
        "Nested.rows",
        "Base.inherited",
        "In.tags",
        "In.pairs",
        "In.old",
        "In.maybe",
        "In.union",
        "In.noted",
    ]
    assert (found[0].place.path, found[0].place.line, found[0].place.column) == ("pack/models.py", 4, 11)


def test_arrays_without_items_in_a_written_schema(write_project: WriteProject) -> None:
    schema = "{'type': 'object', 'properties': {'tags': {'type': 'array'}, 'ok': {'type': 'array', 'items': {}}}}"
    root = write_project({"agent.py": HEAD + tool("T").replace("= In", f"= {schema}") + agent("T()")})
    (found,) = judged(root)
    assert found.message == "the array at `/properties/tags` of the input of T has no `items`"


def test_tools_that_no_skill_holds(write_project: WriteProject) -> None:
    source = HEAD + tool("Base") + tool("Used", base="Base") + tool("_Private") + tool("Lost")
    root = write_project({"agent.py": source + agent("Used()")})
    assert lines(root, judged(root)) == ["unused-tool warning: Lost(LuaTool):"]


def test_what_is_not_known_may_be_the_registration(write_project: WriteProject) -> None:
    source = HEAD + tool("Used") + tool("Lost") + "import os\n"
    root = write_project({"agent.py": source + agent("Used()", "*map(eval, os.environ.get('MORE', '').split())")})
    assert "lua/unused-tool" not in {d.code for d in judged(root)}


def test_unregistered_skills(write_project: WriteProject) -> None:
    source = HEAD + tool("T") + 'lost = LuaSkill(name="lost", context="c", tools=[T()])\n' + agent()
    root = write_project({"agent.py": source})
    (found,) = judged(root)
    assert found.message == "the skill `lost` is not registered on an agent and is not bundled"
    assert found.help == "add `lost` to `skills=[…]` of `agent`, or delete it"


@pytest.mark.parametrize(
    ("attribute", "method", "said"),
    [
        ("seen = []", "", True),
        ("headers = {}", "", True),
        ("found: set = set()", "", True),
        ("rates = {'eu': 1}", "", False),
        ("rates = {'eu': 1}", "self.rates['us'] = 2", True),
        ("rates = {'eu': 1}", "x = self.rates['us'] == 2", False),
        ("rates = ['eu']", "self.rates += ['us']", True),
        ("RATES = []", "", False),
        ("RATES = []", "self.RATES.append(1)", True),
        ("rates = ()", "", False),
        ("rates = frozenset()", "", False),
        ("input_schema = {}", "", False),
        ("voice_flags = {'ignore_on_enter'}", "", False),
    ],
)
def test_what_calls_share(write_project: WriteProject, attribute: str, method: str, said: bool) -> None:
    body = f"    {attribute}\n    def work(self):\n        {method or 'pass'}\n"
    source = HEAD + tool("Base", body=body) + tool("A", base="Base") + tool("B", base="Base")
    found = judged(write_project({"agent.py": source + agent("A()", "B()")}))
    assert [d.code for d in found] == (["lua/mutable-class-attribute"] if said else [])


@pytest.mark.parametrize("schema", ["", "    input_schema = {'type': 'object'}\n"])
@pytest.mark.parametrize(
    "gone", ["items = None", "del items", "def items(self): ...", "class items: ...", "for items in (1, 2): ..."]
)
def test_what_is_replaced_is_shared_by_nobody(write_project: WriteProject, gone: str, schema: str) -> None:
    """Whatever else the class holds."""
    source = HEAD + tool("A", body=f"{schema}    items = []\n    {gone}\n") + agent("A()")
    assert [d for d in judged(write_project({"agent.py": source})) if "mutable" in d.code] == []


@pytest.mark.parametrize("pip", [True, False])
def test_a_python_without_pydantic_is_one_error_that_says_what_to_type(write_project: WriteProject, pip: bool) -> None:
    root = write_project({
        "agent.py": "from a import A\nfrom b import B\n" + HEAD + agent("A()", "B()"),
        "a.py": HEAD + tool("A"),
        "b.py": HEAD + tool("B"),
    })  # fmt: skip
    venv.create(root / ".venv", with_pip=False, symlinks=True)
    (packages,) = (root / ".venv").glob("lib/python*/site-packages")
    if pip:
        (packages / "pip").mkdir()
    (found,) = [one for one in judged(root) if one.severity == "error"]
    assert (
        found.message
        == "pydantic is not installed for .venv/bin/python, the Python of this project (the project's .venv)"
    )
    typed = ".venv/bin/python -m pip install pydantic" if pip else "uv pip install --python .venv/bin/python pydantic"
    assert found.help is not None
    assert found.help.startswith(f"install it there: `{typed}`")
    assert [found.place.path, *(one.place.path for one in found.related)] == ["a.py", "agent.py", "b.py"]
