"""What an abstract import holds on to, and that whatever it let go of is the same when it is asked for again."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.analysis import analyse, analyse_at_first
from lua_cli.analysis.definitions import Definition, Imported
from lua_cli.analysis.machine import Machine
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import Binding, ClassValue, Constant, FunctionValue, ModuleValue, Unknown, Where
from lua_cli.diagnostics import Place
from lua_cli.project import open_project
from lua_cli.records import replace
from lua_cli.source import SourceIndex, ir
from lua_cli.source import texts as module

MODULE = """from lua_cli import LuaTool
from helpers import prepared

LIMIT = 3

def first(x, y=1):
    return x + y

def second():
    return first(1)

if LIMIT > 2:
    def chosen():
        return 1
else:
    def chosen():
        return 2

try:
    def tried():
        return prepared
finally:
    pass

@prepared
def decorated():
    return 1

def again():
    return 1

def again():
    return 2

class Tool(LuaTool):
    name = "tool_{n}"
    description = "d"
    limit = second()
    def execute(self, input):
        return again()
"""
HELPERS = "def prepared(function):\n    return function\n"


def imported(root: Path) -> tuple[Machine, SourceIndex]:
    index = SourceIndex(open_project(root))
    machine = Machine(index.project, index)
    machine.import_entry()
    return machine, index


@pytest.fixture
def project(write_project: Callable[[Mapping[str, str]], Path]) -> Path:
    modules = {f"m{n}.py": MODULE.replace("{n}", str(n)) for n in range(3)}
    agent = "from lua_cli import LuaAgent, LuaSkill\n" + "".join(f"from m{n} import Tool as T{n}\n" for n in range(3))
    agent += "agent = LuaAgent('a', 'p', [LuaSkill('s', 'd', 'c', [T0(), T1(), T2()])])\n"
    return write_project({"agent.py": agent, "helpers.py": HELPERS, **modules})


def test_a_module_that_has_run_leaves_no_code_behind(project: Path) -> None:
    gc.collect()
    before = [one for one in gc.get_objects() if isinstance(one, ir.Class | ir.Assign | ir.Annotate)]
    machine, index = imported(project)
    after = [one for one in gc.get_objects() if isinstance(one, ir.Class | ir.Assign | ir.Annotate)]
    assert [one for one in after if not any(one is other for other in before)] == []
    again = machine.facts(machine.importer.modules["m0"])
    assert again == SourceIndex(index.project).facts(machine.importer.modules["m0"].location)
    assert [one.name for one in again.body if isinstance(one, ir.Class)] == ["Tool"]


def test_functions_are_made_when_they_are_asked_for(project: Path) -> None:
    machine, _ = imported(project)
    names = machine.importer.modules["m1"].frame.names
    there = {name: one for name, one in names.items() if isinstance(one, Binding | Imported)}
    made = [name for name, one in there.items() if isinstance(one.value, FunctionValue)]
    assert made == ["prepared", "chosen", "tried", "decorated"], "prepared was asked for, decorated has a decorator"
    lazy = {name: one for name, one in names.items() if isinstance(one, Definition)}
    assert list(lazy) == ["first", "second", "again"], "those of the top level itself"
    lines = MODULE.split("\n")
    for name, binding in lazy.items():
        value = binding.value
        assert isinstance(value, FunctionValue)
        assert (value.qualname, value.module, value.node.name, binding.kind) == (name, "m1", name, "def")
        assert binding.value is value, "one function, whoever asks"
        assert isinstance(binding.where, Where)
        line, column, _, end = binding.where.span
        assert lines[line - 1][column:end] == name
    assert value.node.span[0] == max(n for n, text in enumerate(lines, 1) if text == "def again():"), "the later one"
    limit = machine.class_maker.machine.evaluator.lookup(machine.classes[-1], "limit")
    assert isinstance(limit, tuple)
    assert machine.settled(limit[0].value) is not None


def test_an_import_is_where_it_is_written(project: Path) -> None:
    machine, _ = imported(project)
    binding = machine.importer.modules["m1"].frame.names["prepared"]
    assert isinstance(binding, Imported)
    assert (binding.kind, binding.computed) == ("import", "")
    assert binding.where == Where(project / "m1.py", (2, 20, 2, 28))
    assert MODULE.split("\n")[1][20:28] == "prepared"


def test_members_have_the_places_that_are_shown(write_project: Callable[[Mapping[str, str]], Path]) -> None:
    text = "class A:\n    ä = 'ö'; b: int; c = 1\n    def execute(self, input): ...\n"
    root = write_project({"agent.py": f"{text}x = A()\n"})
    info = analyse(open_project(root), SourceIndex(open_project(root))).classes["agent.A"]
    assert dict(info.members) == {
        "ä": Place("agent.py", 2, 9, 2, 12),
        "c": Place("agent.py", 2, 26, 2, 27),
        "execute": Place("agent.py", 3, 9, 3, 16),
    }
    assert list(info.annotated.items()) == [("b", Place("agent.py", 2, 14, 2, 15))]
    assert "d" not in info.members
    assert info.members.get("d") is None
    with pytest.raises(KeyError):
        info.members["d"]


def test_nothing_of_the_import_is_left_when_it_is_told(project: Path) -> None:
    """Without the collector, which no compile runs."""
    gc.collect()
    gc.disable()
    try:
        opened = open_project(project)
        index = SourceIndex(opened)
        analysis, settled = analyse_at_first(opened, index)
        kinds = ModuleValue | Frame | Binding | Imported
        assert [one for one in gc.get_objects() if isinstance(one, kinds) and "m1" in str(_path(one))] == []
        assert settled() is analysis
    finally:
        gc.enable()


def _path(one: ModuleValue | Frame | Binding | Imported) -> Path | None:
    if isinstance(one, ModuleValue):
        return one.location.path
    return one.path if isinstance(one, Frame) else one.where.path if one.where is not None else None


def test_a_place_is_what_it_was(tmp_path: Path) -> None:
    one = Where(tmp_path, (1, 2, 3, 4))
    assert one.span == (1, 2, 3, 4)
    assert one == Where(tmp_path, (1, 2, 3, 4))
    assert len({one, Where(tmp_path, (1, 2, 3, 4)), Where(tmp_path, (1, 2, 3, 5))}) == 2
    assert sys.getsizeof(one) < sys.getsizeof((tmp_path, (1, 2, 3, 4))) + sys.getsizeof((1, 2, 3, 4))


def test_texts_are_the_same_packed_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_WHOLE", 5)
    texts = module.Texts()
    written = {Path(f"{n}.py"): f"x = {n!r} * 'ä\U0001f600\udc80\x00\r\n'" * n for n in range(200)}
    for path, text in written.items():
        texts.add(path, text)
    for _ in range(2):
        assert {path: texts.get(path) for path in written} == written
    assert len(texts._whole) == 5
    assert 0 < len(texts._recent) <= 64
    assert texts.get(Path("other.py")) is None


def test_a_value_of_a_function_that_was_put_off(write_project: Callable[[Mapping[str, str]], Path]) -> None:
    """Asked for by the name that it is bound to elsewhere, while its own module is still being imported."""
    root = write_project(
        {
            "agent.py": "from a import N\n",
            "a.py": "def f():\n    return 7\nfrom b import M\nN = M\n",
            "b.py": "from a import f\nM = f()\n",
        }
    )
    machine, _ = imported(root)
    value = machine.settled(machine.importer.modules["agent"].frame.names["N"].value)
    assert isinstance(value, Constant)
    assert value.value == 7


def test_what_a_package_gives_is_what_it_holds_at_the_import(
    write_project: Callable[[Mapping[str, str]], Path],
) -> None:
    """A value that nobody has looked at yet is one for all that import it, until somebody binds the name anew."""
    root = write_project(
        {
            "agent.py": "import before, change, after\n",
            "before.py": "from pkg import Base\nclass Before(Base): ...\n",
            "again.py": "from pkg import Base\nclass Again(Base): ...\n",
            "change.py": "import again, pkg\npkg.Base = pkg.Other\n",
            "after.py": "from pkg import Base\nclass After(Base): ...\n",
            "packages/pkg/__init__.py": "from pkg.classes import Base, Other\n",
            "packages/pkg/classes.py": "class Base: ...\nclass Other: ...\n",
        }
    )
    project = open_project(root)
    packages = (root / "packages",)
    project = replace(project, interpreter=replace(project.interpreter, packages=packages))
    machine = Machine(project, SourceIndex(project))
    machine.import_entry()
    bases = {cls.name: cls.bases[0] for cls in machine.classes if cls.origin == "first-party"}
    assert {name: base.name for name, base in bases.items() if isinstance(base, ClassValue)} == {
        "Before": "Base", "Again": "Base", "After": "Other"
    }  # fmt: skip
    assert bases["Before"] is bases["Again"]


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("sys.modules[__name__] = real", ClassValue),
        ("sys.modules[__name__] = sys.modules[__name__]", Unknown),
        ("if os.environ.get('X'):\n    sys.modules[__name__] = real", Unknown),
        ("me = sys.modules[__name__]\nsys.modules[__name__] = real\nsys.modules['real'] = me", ClassValue),
    ],
)
def test_what_stands_in_the_place_of_a_module(
    write_project: Callable[[Mapping[str, str]], Path], written: str, kind: type
) -> None:
    root = write_project(
        {
            "agent.py": "import alias\nclass A(alias.Base): ...\n",
            "alias.py": f"import os, sys\nimport real\n{written}\n",
            "real.py": "class Base: ...\n",
        }
    )
    machine, _ = imported(root)
    assert [type(cls.bases[0]) for cls in machine.classes if cls.name == "A"] == [kind]
