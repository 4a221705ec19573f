"""Which functions of an artifact ran while it was looked at: all that ran and no other, however they came to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.workshop import Workshop

MODULE = """from lua_cli import LuaTool; from pydantic import BaseModel, field_validator; import types; M = None
{}
class T(LuaTool):
    name = "t"
    description = "d"
    input_schema = M

    def execute(self, input): ...
"""
# The code stands at line 2 of its module. The lines are those at which what ran begins: functions and classes.
CODE: dict[str, tuple[str, list[int]]] = {
    "a call": ("def f(): pass\nf()", [2]),
    "no call": ("def f(): pass\ng = f", []),
    "a call of something inside": ("def f():\n    def inner(): pass\n    def other(): pass\n    inner()\nf()", [2, 3]),
    "more calls than are counted": ("def f(): pass\nfor _ in range(100): f()", [2]),
    "a lambda": ("g = 1\nf = lambda: 1\nf()", [3]),
    "a comprehension in what does not run": ("def f():\n    return {a: 1\n        for a in (1, 2)}", []),
    "a default": ("def f(\n    a=(lambda: 1)()\n): pass", [3]),
    "a generator that began": ("def f():\n    yield 1\nnext(f())", [2]),
    "a generator that did not": ("def f():\n    yield 1\nf()", []),
    "arguments that do not fit": ("def f(a): pass\ntry: f()\nexcept TypeError: pass", []),
    "an error": ("def f(): raise ValueError\ntry: f()\nexcept ValueError: pass", [2]),
    "a function of equal code": ("def f(): return 1\ndef g(): return 1\ng()", [3]),
    "a property": ("class C:\n    @property\n    def f(self): ...\n    @property\n    def g(self): ...\nC().f", [2, 3]),
    "code in a text": ("exec(compile('\\n' * 40 + 'def f(): pass\\ndef g(): pass\\nf()', __file__, 'exec'))", [41]),
    "code of a text": ("eval(compile('\\n' * 40 + '(lambda: 1)()', __file__, 'eval'))", [41]),
    "a function of another's code": ("def f(): pass\ntypes.FunctionType(f.__code__, {})()", [2]),
    "changed code": ("def f(): pass\ntypes.FunctionType(f.__code__.replace(co_firstlineno=41), {})()", [41]),
    "changed code in its place": (
        "def f(): pass\ndef g(): pass\nf.__code__ = g.__code__.replace(co_firstlineno=41)\nf()", [41],
    ),
    "a validator that nobody asks": (
        "class M(BaseModel):\n    a: int\n    @field_validator('a')\n    def check(cls, value): return value", [2],
    ),
    "what a schema asks": (
        "class M(BaseModel):\n    a: int\n    @classmethod\n"
        "    def __get_pydantic_json_schema__(cls, core, handler): return handler(core)", [2, 4],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CODE)
def test_what_ran_is_told_by_its_lines(what: str, tmp_path: Path) -> None:
    code, lines = CODE[what]
    text = MODULE.format(code)
    workshop = Workshop(tmp_path / "project")
    draft = workshop.draft({"tools.py": text}, {"t": "tools:T"})
    seen = workshop.look(draft).seen[draft.skill]
    assert seen.whole, seen
    assert seen.ran == {"tools.py": sorted([*lines, text.splitlines().index("class T(LuaTool):") + 1])}
