"""What the analysis says of small projects, against what Python itself does with them: the oracle imports each in a
process of its own. A case is the text of its modules; what is expected is not typed, it is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from lua_cli.analysis import analyse
from lua_cli.project import open_project
from lua_cli.rules import judge
from lua_cli.source import SourceIndex
from tests.analysis.comparison import silent_mistakes
from tests.analysis.oracle import Oracle

Write = Callable[[Mapping[str, str]], Path]

BASE = """\
from lua_cli import LuaTool


class Base(LuaTool):
    name = "base"
    description = "Look something up. Use when the customer asks for it."
    input_schema = {"type": "object", "properties": {}}

    def execute(self, input):
        return None
"""
QUIET = {"lua/" + code for code in ("tool-confusion", "unused-tool", "tool-description-vague", "import-side-effect")}


def agent(tools: str, head: str = "from leaf import *", more: str = "") -> str:
    return (
        f"from lua_cli import LuaAgent, LuaSkill\n{head}\n"
        f"skill = LuaSkill(name='s', description='d', context='c', tools={tools})\n{more}"
        "agent = LuaAgent(name='a', persona='p', skills=[skill])\n"
    )


# name → (files, codes that are said; an empty set means that the answer has to be right and nothing is said)
CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "a leaf that overrides fields": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[A()]")}, set()),
    "bases through a renamed re-export": ({"kit/__init__.py": "from .impl import Base as Root\n", "kit/impl.py": BASE, "leaf.py": "import kit\nclass A(kit.Root):\n    name = 'a'\n", "agent.py": agent("[A()]")}, set()),
    "a star export with a computed list": ({"kit.py": BASE + "__all__ = [n for n in ('Base',)]\n", "leaf.py": "from kit import *\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[A()]")}, set()),
    "a diamond": ({"leaf.py": "from base import Base\nclass L(Base): ...\nclass R(Base):\n    name = 'r'\nclass A(L, R): ...\n", "agent.py": agent("[A()]")}, set()),
    "names from constants": ({"leaf.py": "from enum import Enum\nfrom base import Base\nP = 'acme'\nclass N(Enum):\n    S = 'find'\nclass A(Base):\n    name = f'{P}_' + N.S.value\n", "agent.py": agent("[A()]")}, set()),
    "a dataclass": ({"leaf.py": "from dataclasses import dataclass\nfrom base import Base\n@dataclass\nclass A(Base):\n    name: str = 'a'\n    limit: int = 3\n", "agent.py": agent("[A()]")}, set()),
    "lists that are put together": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\nclass B(Base):\n    name = 'b'\nclass C(Base):\n    name = 'c'\nCOMMON = [A()]\nCOMMON.append(B())\n", "agent.py": agent("[*COMMON, C()]")}, set()),
    "a comprehension": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\nclass B(Base):\n    name = 'b'\n", "agent.py": agent("[cls() for cls in (A, B)]")}, set()),
    "a helper that gives the list": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\ndef tools():\n    return [A()]\n", "agent.py": agent("tools()", "from leaf import A, tools")}, set()),
    "add_tool": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[]", more="skill.add_tool(A())\n")}, set()),
    "a working cycle": ({"leaf.py": "import agent\nfrom base import Base\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[leaf.A()]", "import leaf")}, set()),
    "a namespace package": ({"tools/deep/leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[A()]", "from tools.deep.leaf import A")}, set()),
    "the import that fails decides": ({"leaf.py": "from base import Base\ntry:\n    from no_such_module_at_all import Base\nexcept ImportError:\n    pass\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[A()]")}, set()),
    "an abstract leaf": ({"leaf.py": "from abc import abstractmethod\nfrom base import Base\nclass A(Base):\n    name = 'a'\n    @abstractmethod\n    def path(self): ...\n", "agent.py": agent("[A()]")}, {"lua/abstract-tool"}),
    "a required constructor argument": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\n    def __init__(self, path):\n        self.path = path\n", "agent.py": agent("[A('/x')]")}, {"lua/constructor-args-required", "lua/constructor-args-dropped"}),
    "the class instead of an instance": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[A]")}, {"lua/not-a-tool"}),
    "bases in an impossible order": ({"leaf.py": "from base import Base\nclass A(Base): ...\nclass B(Base, A): ...\n", "agent.py": agent("[B()]")}, {"lua/inconsistent-mro"}),
    "a base that a call makes": ({"leaf.py": "import base, os\nclass A(getattr(base, os.environ.get('X_Y_Z', 'Base'))):\n    name = 'a'\n", "agent.py": agent("[A()]")}, {"lua/unresolved-base"}),
    "a name that a call makes": ({"leaf.py": "import os\nfrom base import Base\nclass A(Base):\n    name = os.environ.get('X_Y_Z', 'a')\n", "agent.py": agent("[A()]")}, {"lua/dynamic-attribute"}),
    "two tools of one name": ({"leaf.py": "from base import Base\nclass A(Base): ...\nclass B(Base): ...\n", "agent.py": agent("[A(), B()]")}, {"lua/duplicate-tool"}),
    "a patch from elsewhere": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\nsetattr(A, 'name', 'patched')\n", "agent.py": agent("[A()]")}, {"lua/runtime-mutation"}),
    "an import that is not there": ({"leaf.py": "from base import Missing\nclass A(Missing): ...\n", "agent.py": agent("[A()]")}, {"lua/unresolved-import"}),
    "a mistyped argument": ({"leaf.py": "from base import Base\nclass A(Base):\n    name = 'a'\n", "agent.py": agent("[A()], tool=[]")}, {"lua/unknown-argument"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    one = Oracle()
    yield one
    one.close()


@pytest.mark.parametrize("name", CASES, ids=lambda name: name.replace(" ", "-"))
def test_the_analysis_agrees_with_python(name: str, write_project: Write, oracle: Oracle) -> None:
    files, expected = CASES[name]
    root = write_project({"base.py": BASE, **files})
    project = open_project(root)
    index = SourceIndex(project)
    analysis = analyse(project, index)
    said = [diagnostic for diagnostic in judge(analysis, index, project) if diagnostic.code not in QUIET]
    assert silent_mistakes(analysis, said, oracle.look(root)) == []
    codes = {diagnostic.code for diagnostic in said}
    assert expected <= codes if expected else not codes, said
