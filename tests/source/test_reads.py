"""What a module asks for: imports, environment variables and data files, wherever in it the asking stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.project import open_project
from lua_cli.source import ModuleLocation, SourceError, SourceIndex

Write = Callable[[Mapping[str, str]], Path]


def entry(root: Path) -> tuple[SourceIndex, ModuleLocation]:
    index = SourceIndex(open_project(root))
    return index, index.entry()


def test_imports_and_what_guards_them(write_project: Write) -> None:
    text = """\
import a.b, c as d
from .e import f as g
from h import *
if TYPE_CHECKING:
    import i
else:
    import j
if not t.TYPE_CHECKING:
    import k
try:
    import l
except ImportError:
    import m
else:
    import n
def lazily():
    import o
    import importlib
    importlib.import_module("p.q")
    importlib.import_module(f"{o}.r")
    try:
        import s
    except (ValueError, ImportError): ...
class T:
    async def execute(self, input):
        from .u import v
"""
    index, location = entry(write_project({"agent.py": text}))
    found = [(f.kind, "." * f.level + f.module, f.name, f.guard) for f in index.imports(location)]
    assert found == [
        ("import", "a.b", None, ""),
        ("import", "c", None, ""),
        ("from", ".e", "f", ""),
        ("from", "h", "*", ""),
        ("import", "i", None, "type-checking"),
        ("import", "j", None, ""),
        ("import", "k", None, ""),
        ("import", "l", None, "optional"),
        ("import", "m", None, "optional"),
        ("import", "n", None, ""),
        ("import", "o", None, "function"),
        ("import", "importlib", None, "function"),
        ("importlib", "p.q", None, "function"),
        ("importlib-dynamic", "f'{o}.r'", None, "function"),
        ("import", "s", None, "optional"),
        ("from", ".u", "v", "function"),
    ]


def test_environment_variables_read_by_a_literal_name(write_project: Write) -> None:
    text = """\
import os as o
from os import environ as e, getenv
from lua_cli import env
A = o.environ["A"]; B = e.get("B", 1); C = getenv("C"); D = env("D"); E = env("E", default="x")
def late(name):
    if "F" in o.environ: return o.environ.setdefault("G", "x")
    o.environ["SET"] = "1"
    return o.environ[name]
"""
    index, location = entry(write_project({"agent.py": text}))
    found = [(read.name, read.has_default) for read in index.env_reads(location)]
    assert found == [("A", False), ("B", True), ("C", False), ("D", False), ("E", True), ("F", True), ("G", True)]


def test_data_files_named_by_a_literal_path(write_project: Write) -> None:
    text = """\
import os, pkgutil
from importlib import resources
from importlib.resources import files
from pathlib import Path
HERE = Path(__file__).resolve().parent
BASE = os.path.dirname(os.path.abspath(__file__))
ONE = HERE / "data" / "one.json"
def read(name):
    (HERE.parent / "two.md").read_text()
    open(os.path.join(BASE, "three", "x.txt"))
    open(f"{BASE}/four.txt")
    open(BASE + "/five.txt")
    Path(__file__).with_name("six.txt")
    Path(__file__).parents[1].joinpath("seven", "y.txt")
    files("pkg") / "eight.txt"
    resources.files(__package__).joinpath("nine.txt")
    pkgutil.get_data("pkg", "ten.bin")
    resources.read_text("pkg", "eleven.txt")
    HERE / name
    open("relative/to/nothing.txt")
"""
    index, location = entry(
        write_project({"app/agent.py": text, "pyproject.toml": '[tool.lua]\nentry = "app/agent.py"\n'})
    )
    assert [(read.target, read.package) for read in index.data_reads(location)] == [
        ("data/one.json", None),
        ("../two.md", None),
        ("three/x.txt", None),
        ("four.txt", None),
        ("five.txt", None),
        ("six.txt", None),
        ("../seven/y.txt", None),
        ("eight.txt", "pkg"),
        ("nine.txt", ""),
        ("ten.bin", "pkg"),
        ("eleven.txt", "pkg"),
    ]


def test_places_count_characters(write_project: Write) -> None:
    index, location = entry(write_project({"agent.py": 'é = "ü"; import json\n'}))
    (found,) = index.imports(location)
    assert (found.place.line, found.place.column, found.place.end_column) == (1, 17, 21)


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"x = 1\ny = '\xe9'\n", "not UTF-8", 2),
        (b"# -*- coding: no-such-thing -*-\n", "encoding cannot be used", 1),
        (b"x = 1\nz = '\0'\n", "NUL byte", 2),
        (b"def broken(:\n", "invalid syntax", 1),
        (b"x = " + b"(" * 300 + b")" * 300, "nested", 1),
        (b"x = " + b"not " * 6000 + b"1", "nested too deeply", 1),
        (b"x = " + b"+".join([b"1"] * 10_000), "nested too deeply", 1),
        (b"#" * (11 * 1024 * 1024), "larger than 10 MiB", 1),
    ],
    ids=["latin-1", "cookie", "nul", "syntax", "parentheses", "not", "plus", "huge"],
)
def test_a_file_that_cannot_be_read_says_where(data: bytes, message: str, line: int, write_project: Write) -> None:
    root = write_project({"agent.py": ""})
    (root / "agent.py").write_bytes(data)
    index, location = entry(root)
    with pytest.raises(SourceError) as caught:
        index.facts(location)
    assert message in caught.value.reason
    assert (caught.value.place.path, caught.value.place.line) == ("agent.py", line)


def test_encodings_and_line_ends_are_pythons(write_project: Write) -> None:
    root = write_project({"agent.py": ""})
    (root / "agent.py").write_bytes(b"# -*- coding: latin-1 -*-\r\nX = 'o\xf9'\r")
    index, location = entry(root)
    index.facts(location)
    assert index.text(root / "agent.py") == "# -*- coding: latin-1 -*-\nX = 'où'\n"
    (root / "bom.py").write_bytes(b"\xef\xbb\xbfX = 1\n")
    found = index.locate("bom")
    assert found is not None and index.facts(found).body
