"""The parameters of a plain function, which are read when somebody asks, are those that reading it whole would give."""

from __future__ import annotations

from pathlib import Path

import pytest

from lua_cli.project import open_project
from lua_cli.source import SourceIndex, ir
from lua_cli.source.lowering import lower, lower_params
from lua_cli.source.parsing import parse

FUNCTIONS = [
    "def f(): pass",
    "def f(a, /, b: int = 3, *c: str, d=None, e: 'x' = ..., **g: object) -> None:\n    '''Doc.'''\n    return a\n",
    "async def f(\n    a: dict[\n        str, int\n    ] = 'é',  # says: nothing\n    *,\n    ü: str,\n):\n\n    # a word\n    yield",
    "def f(a='é', b=1): return a  # no more",
    "def   f (\\\n  a = b'\\0' ,):\n  if a:\n    def g(b=f):\n      pass",
]


def function_in(text: str) -> ir.Function:
    statement = lower(parse(text), text).body[0]
    assert isinstance(statement, ir.Function)
    return statement


@pytest.mark.parametrize("text", FUNCTIONS)
def test_parameters_on_demand_are_those_of_a_whole_reading(text: str) -> None:
    plain, decorated = f"\n{text}", f"@by\n{text}"
    assert function_in(plain).params is None
    assert lower_params(plain, function_in(plain)) == function_in(decorated).params


@pytest.mark.parametrize("text", ["def f(a=-1): pass", "def f(a, *, b=f'{a}'): pass", "if 1:\n    def f(a): pass"])
def test_where_making_a_function_does_something_they_are_read_with_it(text: str) -> None:
    statement = lower(parse(text), text).body[0]
    function = statement.branches[0][1][0] if isinstance(statement, ir.If) else statement
    assert isinstance(function, ir.Function)
    assert function.params


def test_the_index_reads_them_of_either(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("def f(a, b=1): ...\n\n\n@f\ndef g(a, b=1): ...\n")
    (tmp_path / "pyproject.toml").write_text("[tool.lua]\n")
    index = SourceIndex(open_project(tmp_path))
    names = []
    for function in index.facts(index.entry()).body:
        assert isinstance(function, ir.Function)
        names.append([(param.name, param.span[0]) for param in index.params(tmp_path / "agent.py", function)])
    assert names == [[("a", 1), ("b", 1)], [("a", 5), ("b", 5)]]
