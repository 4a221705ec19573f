"""The facts of a module's code: a small language of statements and expressions, as plain data.

Two readers make it, `lowering.py` from `ast` and `cst.py` from libcst; the abstract import runs it. What cannot matter
to a class, a constant or a registration is left out: bodies of functions are read on demand, `pass` and `assert` are
nothing. Named tuples of strings, numbers and tuples: they can be pickled, compared, and written as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, Union

from lua_cli.source.spans import Span

ParameterKind = Literal["positional-only", "positional", "*", "keyword-only", "**"]
Star = Literal["", "*", "**"]


class Const(NamedTuple):
    """A literal: str, bytes, int, float, complex, bool, None or Ellipsis. Implicitly concatenated strings are one."""

    span: Span
    value: object


class Name(NamedTuple):
    span: Span
    id: str


class Attr(NamedTuple):
    span: Span
    value: Expr
    attr: str


class Arg(NamedTuple):
    """An argument of a call, or a base or keyword of a class; `span` covers `keyword=` and stars."""

    span: Span
    value: Expr
    keyword: str | None
    star: Star


class Call(NamedTuple):
    """`args` in the order of the source."""

    span: Span
    func: Expr
    args: tuple[Arg, ...]


class Subscript(NamedTuple):
    span: Span
    value: Expr
    key: Expr


class Slice(NamedTuple):
    span: Span
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


class Starred(NamedTuple):
    span: Span
    value: Expr


class Display(NamedTuple):
    """A list, tuple or set display."""

    span: Span
    kind: Literal["list", "tuple", "set"]
    items: tuple[Expr, ...]


class DictDisplay(NamedTuple):
    """A dict display; a key of None is `**value`."""

    span: Span
    items: tuple[tuple[Expr | None, Expr], ...]


class Operation(NamedTuple):
    """Operands joined by one binary operator, left to right: `a + b + c` is one operation, however long."""

    span: Span
    op: str
    operands: tuple[Expr, ...]


class Unary(NamedTuple):
    span: Span
    op: Literal["not", "-", "+", "~"]
    operand: Expr


class Boolean(NamedTuple):
    span: Span
    op: Literal["and", "or"]
    operands: tuple[Expr, ...]


class Comparison(NamedTuple):
    span: Span
    left: Expr
    ops: tuple[str, ...]
    others: tuple[Expr, ...]


class Conditional(NamedTuple):
    span: Span
    test: Expr
    body: Expr
    orelse: Expr


class Formatted(NamedTuple):
    """`{value!r:spec}` in an f-string; `conversion` is "", "s", "r" or "a"."""

    span: Span
    value: Expr
    conversion: str
    spec: Expr | None


class FString(NamedTuple):
    span: Span
    parts: tuple[Expr, ...]


class Parameter(NamedTuple):
    """`annotation` is the place of its annotation: only its text is ever asked for."""

    span: Span
    name: str
    kind: ParameterKind
    default: Expr | None
    annotation: Span | None


class Lambda(NamedTuple):
    span: Span
    params: tuple[Parameter, ...]
    body: Expr


class Loop(NamedTuple):
    """One `for … in … if …` of a comprehension."""

    target: Expr
    iter: Expr
    conditions: tuple[Expr, ...]
    is_async: bool


class Comprehension(NamedTuple):
    """`value` is the value of a dict comprehension, else None."""

    span: Span
    kind: Literal["list", "set", "dict", "generator"]
    element: Expr
    value: Expr | None
    loops: tuple[Loop, ...]


class Walrus(NamedTuple):
    span: Span
    name: str
    value: Expr


class Yield(NamedTuple):
    """`yield value`, or `yield from value`."""

    span: Span
    value: Expr | None
    whole: bool


class Await(NamedTuple):
    span: Span
    value: Expr


class Opaque(NamedTuple):
    """An expression that is not read; `what` says what it is."""

    span: Span
    what: str


Expr: TypeAlias = Union[  # noqa: UP007 (forward references need a Union)
    Const,
    Name,
    Attr,
    Call,
    Subscript,
    Slice,
    Starred,
    Display,
    DictDisplay,
    Operation,
    Unary,
    Boolean,
    Comparison,
    Conditional,
    Formatted,
    FString,
    Lambda,
    Comprehension,
    Walrus,
    Yield,
    Await,
    Opaque,
]


class Assign(NamedTuple):
    span: Span
    targets: tuple[Expr, ...]
    value: Expr


class Annotate(NamedTuple):
    """`target: annotation [= value]`."""

    span: Span
    target: Expr
    annotation: Expr
    value: Expr | None


class Augment(NamedTuple):
    """`target op= value`; `op` without the "="."""

    span: Span
    target: Expr
    op: str
    value: Expr


class Delete(NamedTuple):
    span: Span
    targets: tuple[Expr, ...]


class Do(NamedTuple):
    """An expression as a statement."""

    span: Span
    value: Expr


class Import(NamedTuple):
    """`import dotted [as asname]`: one for each name."""

    span: Span
    dotted: str
    asname: str | None


class ImportedName(NamedTuple):
    span: Span
    name: str
    asname: str | None


class FromImport(NamedTuple):
    """`from ..module import names`; a star is the one name "*"."""

    span: Span
    level: int
    module: str
    names: tuple[ImportedName, ...]


class Class(NamedTuple):
    """`span` starts at `class`; decorators stand before it. `bases` has the keywords too. `type_params`: PEP 695."""

    span: Span
    name: str
    name_span: Span
    bases: tuple[Arg, ...]
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    type_params: tuple[str, ...]


class Function(NamedTuple):
    """`span` starts at `def` and covers the body, which is read on demand. `rebinds`: names that it, or a function in
    it, declares `global`. `body_start`: line and column of its first statement.

    `params` is None in a plain function: one at the top level, without decorators, whose defaults are literals. Making
    it does nothing but bind its name, and of most nobody asks more: its parameters are read on demand too.
    """

    span: Span
    name: str
    name_span: Span
    is_async: bool
    params: tuple[Parameter, ...] | None
    decorators: tuple[Expr, ...]
    rebinds: tuple[str, ...]
    body_start: tuple[int, int]


class If(NamedTuple):
    """`if … elif … else`, flat."""

    span: Span
    branches: tuple[tuple[Expr, tuple[Stmt, ...]], ...]
    orelse: tuple[Stmt, ...]


class For(NamedTuple):
    span: Span
    target: Expr
    iter: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class While(NamedTuple):
    span: Span
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class Handler(NamedTuple):
    type: Expr | None
    name: str | None
    body: tuple[Stmt, ...]


class Try(NamedTuple):
    span: Span
    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


class With(NamedTuple):
    span: Span
    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]


class Case(NamedTuple):
    """One `case`: the names that its pattern binds, whether it matches everything, its guard.

    alternatives  the values that its pattern compares with, where that is all that it does: `case "a" | "b"`
    """

    captures: tuple[str, ...]
    irrefutable: bool
    guard: Expr | None
    body: tuple[Stmt, ...]
    alternatives: tuple[Expr, ...] = ()


class Match(NamedTuple):
    span: Span
    subject: Expr
    cases: tuple[Case, ...]


class Raise(NamedTuple):
    span: Span
    exception: Expr | None


class Return(NamedTuple):
    span: Span
    value: Expr | None


class Jump(NamedTuple):
    span: Span
    kind: Literal["break", "continue"]


class Global(NamedTuple):
    span: Span
    kind: Literal["global", "nonlocal"]
    names: tuple[str, ...]


class TypeAliasStmt(NamedTuple):
    """`type name = …` (PEP 695)."""

    span: Span
    name: str


Stmt: TypeAlias = Union[  # noqa: UP007
    Assign,
    Annotate,
    Augment,
    Delete,
    Do,
    Import,
    FromImport,
    Class,
    Function,
    If,
    For,
    While,
    Try,
    With,
    Match,
    Raise,
    Return,
    Jump,
    Global,
    TypeAliasStmt,
]

Node: TypeAlias = Union[Expr, Stmt, Arg, Parameter, Loop, ImportedName, Handler, Case]  # noqa: UP007


class ModuleFacts(NamedTuple):
    """The code of one module. `rebinds`: names that some function declares `global`, with that function's name."""

    body: tuple[Stmt, ...]
    rebinds: tuple[tuple[str, str], ...]


class FunctionBody(NamedTuple):
    """What a function does, read on demand."""

    body: tuple[Stmt, ...]
    is_generator: bool


def asserted(span: Span, test: Expr) -> Stmt:
    """`assert test`, as what it does: `if not test: raise AssertionError`."""
    raising = Raise(span, Name(span, "AssertionError"))
    return If(span, ((Unary(span, "not", test), (raising,)),), ())


def merged(parts: Iterable[Expr]) -> tuple[Expr, ...]:
    """The parts of an f-string with neighbouring texts joined and empty ones left out, as every reader gives them."""
    out: list[Expr] = []
    for part in parts:
        last = out[-1] if out else None
        if isinstance(part, Const) and isinstance(part.value, str):
            if isinstance(last, Const) and isinstance(last.value, str):
                out[-1] = Const((*last.span[:2], *part.span[2:]), last.value + part.value)
            elif part.value:
                out.append(part)
        else:
            out.append(part)
    return tuple(out)
