"""Random projects in the Python that people write around tools: hypothesis draws them, piece by piece, from what is in
scope.

Each statement is run as it is drawn, in this process, and left out when it raises: so that most projects can be
imported.
"""

from __future__ import annotations

import contextlib
import io
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from lua_cli import LuaTool

T = TypeVar("T")

TESTS = (
    "True", "False", "1 < 2", "TYPE_CHECKING", "not TYPE_CHECKING", "sys.version_info >= (3, 9)", "sys.version_info[0] == 2",
    '__name__ == "__main__"', 'os.environ.get("LUA_TEST_UNSET")', "FLAG", "not FLAG", "len(WORD) > 3", 'WORD == "word"',
    'os.environ.get("HOME") is None', "LuaTool is None", "issubclass(LuaTool, object)",
)  # fmt: skip
HEAD = """\
import abc, contextlib, dataclasses, enum, functools, os, sys, typing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Generic, TypeVar, final
from lua_cli import LuaTool
FLAG = True
WORD = "word"
LIST = []
TV = TypeVar("TV")
REG = []
class Kept(LuaTool):
    description = "d"
    def __init_subclass__(cls, **k):
        super().__init_subclass__(**k)
        REG.append(cls)
    def execute(self, input): return 1
class Meta(abc.ABCMeta):
    def __init__(cls, name, bases, space, **k):
        super().__init__(name, bases, space)
        REG.append(cls)
class Holder:
    held = []
    def __init__(self, *more): self.held = list(more); self.first = more[:1]
    def all(self): return [*self.held, *self.first]
def identity(cls): return cls
def renamed(cls):
    cls.name = "renamed"
    return cls
def replaced(cls):
    class Replaced(cls): pass
    return Replaced
def tagged(tag):
    def decorate(cls):
        LIST.append(tag)
        return cls
    return decorate
"""


class Builder:
    """One module being written. `classes` and `words` are the names that are bound to classes and to strings so far."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], name: str) -> None:
        self.draw = draw
        self.name = name
        self.lines: list[str] = []
        self.classes = ["LuaTool", "object", "Kept"]
        self.words = ["WORD"]
        self.indent = ""
        self.count = 0
        self.module = types.ModuleType(name)
        self.accepted: list[str] = []

    def commit(self) -> bool:
        """Keeps the lines written since the last commit, if Python runs them; forgets what they bound otherwise."""
        text, self.lines, self.indent = "\n".join(self.lines), [], ""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text, self.name, "exec"), self.module.__dict__)
        except Exception:
            self.classes = [name for name in self.classes if self.stands_for_class(name)]
            self.words = [name for name in self.words if isinstance(self.module.__dict__.get(name), str)]
            return False
        self.classes = [name for name in self.classes if self.stands_for_class(name)]
        self.accepted.append(text)
        return True

    def stands_for_class(self, name: str) -> bool:
        try:
            return isinstance(eval(name, self.module.__dict__), type)
        except Exception:
            return False

    def pick(self, options: Sequence[T]) -> T:
        return options[self.draw(st.integers(0, len(options) - 1))]

    def chance(self, of: int = 2) -> bool:
        return bool(self.draw(st.integers(0, of - 1)) == 0)

    def put(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # Expressions

    def text(self) -> str:
        word = self.pick(self.words)
        literal = repr(self.pick(["a", "b-1", "Cc", "d d", "e_e"]))
        return self.pick(
            [
                literal, word, f"{literal} + {word}", f'f"{{{word}}}_x"', f'f"{{{word}!s:>3}}"', f'"_".join([{word}, {literal}])',
                f"{word}.upper()", f"{word} + '_' + {literal}", f'"%s-%d" % ({word}, 3)', f'"{{}}".format({word})',
                f"({literal} 'tail')", f"{literal} if {self.pick(TESTS)} else {word}", f"{word} or {literal}", f"{word}[:2]",
                f"str({word})", f'{{"k": {word}}}["k"]', f"[{literal}, {word}][1]", f"{word}.replace('w', {literal})",
            ]
        )  # fmt: skip

    def base(self) -> str:
        name = self.pick(self.classes)
        if name == "LuaTool":
            return self.pick(["LuaTool", "LuaTool[int]", "LuaTool[TV]"])
        return name

    # Statements

    def class_(self, depth: int = 0) -> None:
        name = self.pick([self.fresh("C"), self.fresh("C"), self.pick(self.classes[2:] or ["C0"])])
        bases = [self.base() for _ in range(self.draw(st.integers(0, 2)))]
        extra = self.pick(["", "", "", "", "abc.ABC", "metaclass=abc.ABCMeta", "metaclass=Meta", "Generic[TV]"])
        for decorator in self.decorators():
            self.put(decorator)
        written = ", ".join([*bases, *([extra] if extra else [])])
        self.put(f"class {name}({written}):")
        outer, self.indent = self.indent, self.indent + "    "
        self.put(self.pick(["pass", '"""Doc."""', "path = '/x'"]))
        for _ in range(self.draw(st.integers(0, 4))):
            self.pick([self.name_, self.name_, self.execute, self.execute, self.init, self.odd])()
        if depth == 0 and self.chance(8):
            self.class_(1)
            self.classes.pop()
        self.indent = outer
        if name not in self.classes:
            self.classes.append(name)

    def decorators(self) -> list[str]:
        one = ["@identity", "@final", "@dataclass", "@tagged('t')", "@renamed", "@replaced", "@dataclass(frozen=True)"]
        return [self.pick(one)] if self.chance(5) else []

    def name_(self) -> None:
        text = self.text()
        self.put(
            self.pick(
                [
                    f"name = {text}", f"name = {text}", f"name: str = {text}", f"name: ClassVar[str] = {text}",
                    f"name: Final = {text}", f"name: Annotated[str, 1] = {text}", "name: str", f"name = title = {text}",
                    f"name, description = {text}, 'd'", f"if {self.pick(TESTS)}: name = {text}",
                    f"name = {text}; name += '_z'", f"prefix = {text}; name = prefix + '_p'", "name = 42", "name = None",
                    f"name: str = field(default={text})" if self.chance(4) else f"name = {text}",
                ]
            )
        )  # fmt: skip

    def execute(self) -> None:
        self.put(
            self.pick(
                [
                    "def execute(self, input): return 1", "async def execute(self, input): return 1",
                    "@abc.abstractmethod\n" + self.indent + "def execute(self, input): ...", "execute = None",
                    "execute = staticmethod(print)", "execute: object", "def other(self): ...",
                    "@abc.abstractmethod\n" + self.indent + "def other(self): ...",
                    "@property\n" + self.indent + "@abc.abstractmethod\n" + self.indent + "def other(self): ...",
                    "@functools.lru_cache\n" + self.indent + "def execute(self, input): return 1",
                ]
            )
        )  # fmt: skip

    def init(self) -> None:
        self.put(
            self.pick(
                [
                    "def __init__(self, path='/x'): self.path = path", "def __init__(self, path): self.path = path",
                    "def __init__(self, *, path): self.path = path", "def __init__(self, *a, **k): super().__init__(*a, **k)",
                    "def __init__(self): super().__init__()", "def __init__(self, **k): pass", "def __new__(cls): return super().__new__(cls)",
                    "def __new__(cls, path): return super().__new__(cls)", "def __init__(self): self.name = 'set'",
                    "def __init__(self): self.other = 'set'", "__init__ = object.__init__",
                ]
            )
        )  # fmt: skip

    def odd(self) -> None:
        self.put(
            self.pick(
                [
                    "@property\n" + self.indent + "def name(self): return 'prop'", "__slots__ = ('name',)", "__slots__ = ()",
                    "def __init_subclass__(cls, **k): super().__init_subclass__(**k)",
                    "def __init_subclass__(cls, **k): cls.name = 'sub'", "def __getattr__(self, n): raise AttributeError(n)",
                    "def __getattr__(self, n): return 'got'", "description = 'd'", "for name in ('l1', 'l2'): pass",
                    "class name: pass", "del path" if self.chance(3) else "path = 1", "def name(self): ...",
                    "extra: int = 1", "need: int", "tags: list = field(default_factory=list)" if self.chance(3) else "tags = []",
                ]
            )
        )  # fmt: skip

    def alias(self) -> None:
        one, other = self.pick(self.classes), self.pick(self.classes)
        name = self.pick([self.fresh("A"), self.pick(self.classes[2:] or ["A0"])])
        self.put(
            self.pick(
                [
                    f"{name} = {one}", f"{name}, Z = {one}, {other}", f"({name} := {one})",
                    f"{name} = {one} if {self.pick(TESTS)} else {other}", f"{name} = {one} or {other}",
                    f"for {name} in ({one}, {other}): pass", f"{name} = [{one}, {other}][{self.pick([0, 1])}]",
                    f"{name} = (lambda: {one})()", f"{name} = {{'a': {one}}}['a']", f"{name} = {one}; del {name}; {name} = {other}",
                    f"{name} = getattr(sys.modules[__name__], '{one}')" if one not in ("object",) else f"{name} = {one}",
                    f"{name} = type('{name}', ({one},), {{'name': 'typed'}})",
                ]
            )
        )  # fmt: skip
        self.known(name)

    def known(self, name: str) -> None:
        if name not in self.classes:
            self.classes.append(name)

    def branch(self) -> None:
        name = self.fresh("B")
        one, other = self.pick(self.classes), self.pick(self.classes)
        kind = self.draw(st.integers(0, 7))
        if kind == 0:
            self.lines += [f"if {self.pick(TESTS)}:", f"    {name} = {one}", "else:", f"    {name} = {other}"]
        elif kind == 1:
            module = self.pick(["no_such_module", "json"])
            caught = self.pick(["ImportError", "ModuleNotFoundError", "Exception", "(ValueError, ImportError)"])
            self.lines += [
                "try:",
                f"    import {module}",
                f"    {name} = {one}",
                f"except {caught}:",
                f"    {name} = {other}",
            ]
            if self.chance(3):
                self.lines += ["else:", f"    {name} = object"]
        elif kind == 2:
            self.lines += [
                f"if {self.pick(TESTS)}:",
                f"    class {name}({one}): name = 'if'",
                "else:",
                f"    class {name}({other}): name = 'else'",
            ]
        elif kind == 3:
            self.lines += [
                f"{name} = {one}",
                "with contextlib.suppress(ImportError):",
                "    import no_such_module",
                f"    {name} = {other}",
            ]
        elif kind == 6:
            raising = self.pick(
                [
                    "1 / 0",
                    "int('x')",
                    "[][0]",
                    "{}['x']",
                    "None.x",
                    "a, b = (1,)",
                    "assert FLAG",
                    "assert not FLAG",
                    "'a' + 1",
                    "len('a')",
                    "raise ValueError('x')",
                ]
            )
            caught = self.pick(
                [
                    "Exception",
                    "ValueError",
                    "(TypeError, AttributeError)",
                    "ArithmeticError",
                    "LookupError",
                    "AssertionError",
                ]
            )
            self.lines += [
                "try:",
                "    try:",
                f"        {raising}",
                f"        {name} = {one}",
                f"    except {caught}:",
                f"        {name} = {other}",
                "except Exception:",
                f"    {name} = object",
            ]
        elif kind == 7:
            self.lines += [
                f"it = iter([{one}, {other}, object])",
                f"{name} = next(it)",
                f"Z = [*it][{self.pick([0, 1])}]",
                "assert not [*it]",
            ]
            self.known("Z")
        elif kind == 4:
            self.lines += [f"{name} = {one}", f"while {self.pick(TESTS)}:", f"    {name} = {other}", "    break"]
        else:
            self.lines += [
                f"{name} = {one}", "def rebind():", f"    global {name}", f"    {name} = {other}", self.pick(["rebind()", "pass"]),
            ]  # fmt: skip
        self.known(name)

    def patch(self) -> None:
        name = self.pick(self.classes[2:] or ["LIST"])
        if name != "LIST":
            self.put(
                self.pick([f"{name}.name = 'patched'", f"setattr({name}, 'name', {self.text()})", f"{name}.other = 1"])
            )

    def word(self) -> None:
        name = self.fresh("W")
        if self.chance(5):
            self.put(f"class {name}(str, enum.Enum): ONE = {self.text()}")
            self.put(f"{name}v = {name}.ONE.value")
            name += "v"
        else:
            self.put(f"{name} = {self.text()}")
        self.words.append(name)

    def statement(self) -> None:
        kinds = [self.class_] * 5 + [self.alias, self.alias, self.branch, self.branch, self.word, self.patch]
        self.pick(kinds)()
        self.commit()


def _imports(builder: Builder, before: list[Builder]) -> None:
    for other in before:
        form = builder.draw(st.integers(0, 5))
        names = other.classes[2:]
        if form == 0:
            builder.put(f"from {other.name} import *")
            builder.classes += [name for name in names if name not in builder.classes]
        elif form == 1 and names:
            name = builder.pick(names)
            builder.put(f"from {other.name} import {name} as I_{name}")
            builder.known(f"I_{name}")
        elif form == 2 and names:
            builder.put(f"import {other.name}")
            builder.known(f"{other.name}.{builder.pick(names)}")
        elif form == 3 and names:
            name = builder.pick(names)
            builder.put(f"import {other.name} as q_{other.name}")
            builder.known(f"q_{other.name}.{name}")
        elif form == 4:
            builder.put(f"import {other.name}")
        builder.commit()


@st.composite
def projects(draw: Callable[[st.SearchStrategy[Any]], Any]) -> dict[str, str]:
    """Files of a project: modules m0, m1, …, and an entry that registers something of them."""
    before = dict(vars(LuaTool))  # a drawn statement may patch it by another name
    try:
        return _project(draw)
    finally:
        for name in ("m0", "m1", "m2", "agent"):
            sys.modules.pop(name, None)
        for name in vars(LuaTool).keys() - before.keys():
            delattr(LuaTool, name)
        for name, value in before.items():
            if vars(LuaTool)[name] is not value:
                setattr(LuaTool, name, value)


def _project(draw: Callable[[st.SearchStrategy[Any]], Any]) -> dict[str, str]:
    built: list[Builder] = []
    for at in range(draw(st.integers(1, 3))):
        builder = Builder(draw, f"m{at}")
        sys.modules[builder.name] = builder.module
        builder.put(HEAD)
        builder.commit()
        _imports(builder, built)
        for _ in range(draw(st.integers(1, 7))):
            builder.statement()
        if builder.chance(6):
            builder.put(f"__all__ = {[name for name in builder.classes[2:] if '.' not in name][:2]!r}")
            builder.commit()
        built.append(builder)
    files = {f"{builder.name}.py": "\n".join(builder.accepted) + "\n" for builder in built}
    entry = Builder(draw, "agent")
    sys.modules["agent"] = entry.module
    entry.put(HEAD)
    entry.put("import itertools\nfrom functools import partial\nfrom lua_cli import LuaAgent, LuaSkill")
    entry.commit()
    for builder in built:
        entry.put(f"import {builder.name}")
        entry.classes += [f"{builder.name}.{name}" for name in builder.classes[2:]]
        entry.commit()
    _register(entry)
    files["agent.py"] = "\n".join(entry.accepted) + "\n"
    return files


def _can_be_made(entry: Builder, name: str) -> bool:
    try:
        made = eval(f"{name}()", entry.module.__dict__)
    except Exception:
        return False
    return isinstance(getattr(made, "name", None), str)


def _register(entry: Builder) -> None:
    tools = [name for name in entry.classes[2:] if _can_be_made(entry, name)] or entry.classes[2:] or ["LuaTool"]
    a, b, c = (entry.pick(tools) for _ in range(3))
    forms = [
        f"tools = [{a}(), {b}()]", f"tools = [{a}()]\ntools.append({b}())", f"tools = [*[{a}()], {b}()]",
        f"tools = [{a}()] + ([{b}()] if {entry.pick(TESTS)} else [{c}()])", f"tools = [x() for x in ({a}, {b})]",
        f"def make():\n    out = [{a}()]\n    out.extend([{b}()])\n    return out\ntools = make()", f"tools = ({a}(),)",
        f"tools = []\nfor x in [{a}, {b}]:\n    tools.append(x())", f"tools = list(itertools.chain([{a}()], [{b}()]))",
        f"tools = [partial({a})()]", f"one = {a}()\ntools = [one, {b}()]", f"tools = []\nif {entry.pick(TESTS)}:\n    tools += [{a}()]",
        f"tools = dict(a={a}(), b={b}()).values()", f"tools = [{a}(), {b}()][:1]", f"tools = [{a}()] or [{b}()]", f"tools = [{a}]",
        f"tools = (x for x in [{a}(), {b}()])\nfirst = next(tools)", f"h = Holder({a}(), {b}())\ntools = h.held", f"tools = Holder({a}()).all()",
        "tools = [x() for x in " + a.split(".")[0] + ".REG]" if "." in a else "tools = []",
    ]  # fmt: skip
    skills = [
        "s = LuaSkill('s', 'd', 'c', tools)", "s = LuaSkill(name='s', context='c', tools=tools)",
        "s = LuaSkill(**dict(name='s', tools=tools))", "s = LuaSkill('s').add_tools(tools)",
    ]  # fmt: skip
    later = [f"s.add_tool({c}())", f"s.tools.append({c}())", f"tools = [{c}()]", f"{a}.name = 'late'"]
    agents = [
        "agent = LuaAgent('a', 'p', [s])", "agent = LuaAgent(name='a', skills=(s,))",
        "skills = [s]\nagent = LuaAgent('a', skills=[*skills])",
    ]  # fmt: skip
    entry.put(entry.pick(forms))
    if not entry.commit():
        entry.put("tools = []")
        entry.commit()
    for options in (skills, *([later] if entry.chance(4) else []), agents):
        entry.put(entry.pick(options))
        entry.commit()
