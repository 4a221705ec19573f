"""`ast` → facts (`ir.py`). In: a module's tree and text. Out: `ModuleFacts`, or the statements of one function's body.
Pure.

Depth is bounded: an expression nested deeper than MAX_DEPTH is `Opaque`, so that whoever walks facts may recurse.
Chains that people do write long (`+`, `elif`) are flat and have no bound of their own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from lua_cli.source import ir
from lua_cli.source.parsing import parse
from lua_cli.source.spans import Span, span_of

MAX_DEPTH = 90
NOT_READ = "nested too deeply to be read"

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.MatMult: "@",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Literal["not", "-", "+", "~"]] = {
    ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_KEYWORD = {"class": re.compile(rb"\bclass\s+"), "def": re.compile(rb"\bdef\s+")}
_CONVERSIONS = {-1: "", 115: "s", 114: "r", 97: "a"}


def lower(tree: ast.Module, text: str) -> ir.ModuleFacts:
    """The facts of a module."""
    lowering = _Lowering(text.split("\n"))
    body = lowering.block(tree.body)
    return ir.ModuleFacts(body, tuple(lowering.rebinds))


def lower_body(text: str, span: Span) -> ir.FunctionBody:
    """The body of the function whose `def` stands at `span` in the text of a module that was parsed before."""
    lines = text.split("\n")
    first, column, last, _ = span
    margin = lines[first - 1].encode()[:column].rpartition(b"\f")[2]  # a form feed begins the line anew
    head = ["if 1:"] if margin else []  # the lines stay whole, so that columns do too
    tree = parse("\n".join([*head, *lines[first - 1 : last]]))
    statement = tree.body[0]
    function = statement.body[0] if isinstance(statement, ast.If) else statement
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)  # noqa: S101 (a `def` starts its line)
    ast.increment_lineno(function, first - 1 - len(head))
    return ir.FunctionBody(_Lowering(lines).block(function.body), _yields(function))


def lower_params(text: str, function: ir.Function) -> tuple[ir.Parameter, ...]:
    """The parameters of a function of the top level of a module that was parsed before."""
    lines = text.split("\n")
    (first, column, *_), (last, end) = function.span, function.body_start
    head = lines[first - 1 : last]
    head[-1] = head[-1].encode()[:end].decode() + "..."
    tree = parse("\n".join(head))
    statement = tree.body[0]
    assert isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and not column  # noqa: S101
    ast.increment_lineno(statement, first - 1)
    return _Lowering(lines).params(statement.args)


def _is_plain(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is one whose parameters are read on demand (`ir.Function`)."""
    if node.col_offset or node.decorator_list:
        return False
    defaults = (*node.args.defaults, *node.args.kw_defaults)
    return all(default is None or isinstance(default, ast.Constant) for default in defaults)


def _start_of(node: ast.stmt) -> tuple[int, int]:
    """Where a statement starts, its decorators included."""
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        return (decorators[0].lineno, decorators[0].col_offset - 1)
    return (node.lineno, node.col_offset)


def _yields(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))
    return False


class _Lowering:
    def __init__(self, lines: Sequence[str]) -> None:
        self.rebinds: list[tuple[str, str]] = []
        self._lines = lines
        self._globals = [number for number, line in enumerate(lines, 1) if "global" in line]
        self._depth = 0

    # Statements

    def block(self, body: Sequence[ast.stmt]) -> tuple[ir.Stmt, ...]:
        out: list[ir.Stmt] = []
        for statement in body:
            handle = _STATEMENTS.get(type(statement))
            if handle:
                out.extend(handle(self, statement))
        return tuple(out)

    def assign(self, node: ast.Assign) -> list[ir.Stmt]:
        return [ir.Assign(span_of(node), self.many(node.targets), self.expr(node.value))]

    def annotate(self, node: ast.AnnAssign) -> list[ir.Stmt]:
        value = self.expr(node.value) if node.value else None
        return [ir.Annotate(span_of(node), self.expr(node.target), self.expr(node.annotation), value)]

    def augment(self, node: ast.AugAssign) -> list[ir.Stmt]:
        return [ir.Augment(span_of(node), self.expr(node.target), _BINARY[type(node.op)], self.expr(node.value))]

    def delete(self, node: ast.Delete) -> list[ir.Stmt]:
        return [ir.Delete(span_of(node), self.many(node.targets))]

    def do(self, node: ast.Expr) -> list[ir.Stmt]:
        return [ir.Do(span_of(node), self.expr(node.value))]

    def plain_import(self, node: ast.Import) -> list[ir.Stmt]:
        return [ir.Import(span_of(alias), alias.name, alias.asname) for alias in node.names]

    def from_import(self, node: ast.ImportFrom) -> list[ir.Stmt]:
        names = tuple(ir.ImportedName(span_of(alias), alias.name, alias.asname) for alias in node.names)
        return [ir.FromImport(span_of(node), node.level, node.module or "", names)]

    def class_(self, node: ast.ClassDef) -> list[ir.Stmt]:
        bases = self.arguments(node.bases, node.keywords)
        decorators = self.many(node.decorator_list)
        params = tuple(param.name for param in getattr(node, "type_params", ()))
        name_span = self.name_span(node, "class")
        return [ir.Class(span_of(node), node.name, name_span, bases, decorators, self.block(node.body), params)]

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ir.Stmt]:
        rebinds: tuple[str, ...] = ()
        if self._globals and any(node.lineno <= line <= (node.end_lineno or 0) for line in self._globals):
            found = [name for inner in ast.walk(node) if isinstance(inner, ast.Global) for name in inner.names]
            rebinds = tuple(dict.fromkeys(found))
            self.rebinds.extend((name, node.name) for name in rebinds)
        is_async = isinstance(node, ast.AsyncFunctionDef)
        name_span = self.name_span(node, "def")
        params = None if _is_plain(node) else self.params(node.args)
        decorators = self.many(node.decorator_list)
        start = _start_of(node.body[0])
        return [ir.Function(span_of(node), node.name, name_span, is_async, params, decorators, rebinds, start)]

    def if_(self, node: ast.If) -> list[ir.Stmt]:
        span = span_of(node)
        branches = [(self.expr(node.test), self.block(node.body))]
        while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            branches.append((self.expr(node.test), self.block(node.body)))
        return [ir.If(span, tuple(branches), self.block(node.orelse))]

    def for_(self, node: ast.For | ast.AsyncFor) -> list[ir.Stmt]:
        target, over = self.expr(node.target), self.expr(node.iter)
        return [ir.For(span_of(node), target, over, self.block(node.body), self.block(node.orelse))]

    def while_(self, node: ast.While) -> list[ir.Stmt]:
        return [ir.While(span_of(node), self.expr(node.test), self.block(node.body), self.block(node.orelse))]

    def try_(self, node: ast.Try) -> list[ir.Stmt]:
        handlers = tuple(
            ir.Handler(self.expr(handler.type) if handler.type else None, handler.name, self.block(handler.body))
            for handler in node.handlers
        )
        body, orelse, final = self.block(node.body), self.block(node.orelse), self.block(node.finalbody)
        return [ir.Try(span_of(node), body, handlers, orelse, final)]

    def with_(self, node: ast.With | ast.AsyncWith) -> list[ir.Stmt]:
        items = tuple(
            (self.expr(item.context_expr), self.expr(item.optional_vars) if item.optional_vars else None)
            for item in node.items
        )
        return [ir.With(span_of(node), items, self.block(node.body))]

    def match(self, node: ast.Match) -> list[ir.Stmt]:
        return [ir.Match(span_of(node), self.expr(node.subject), tuple(self.case(case) for case in node.cases))]

    def case(self, node: ast.match_case) -> ir.Case:
        captures: set[str] = set()
        for inner in ast.walk(node.pattern):
            if isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name:
                captures.add(inner.name)
            elif isinstance(inner, ast.MatchMapping) and inner.rest:
                captures.add(inner.rest)
        guard = self.expr(node.guard) if node.guard else None
        irrefutable = isinstance(node.pattern, ast.MatchAs) and node.pattern.pattern is None and guard is None
        return ir.Case(
            tuple(sorted(captures)), irrefutable, guard, self.block(node.body), self.alternatives(node.pattern)
        )

    def alternatives(self, pattern: ast.pattern) -> tuple[ir.Expr, ...]:
        """The values that a pattern compares with; empty for a pattern that does something else."""
        match pattern:
            case ast.MatchValue(value=value):
                return (self.expr(value),)
            case ast.MatchSingleton(value=value):
                return (ir.Const(span_of(pattern), value),)
            case ast.MatchOr(patterns=patterns):
                found = [self.alternatives(one) for one in patterns]
                return tuple(value for values in found for value in values) if all(found) else ()
        return ()

    def raise_(self, node: ast.Raise) -> list[ir.Stmt]:
        return [ir.Raise(span_of(node), self.expr(node.exc) if node.exc else None)]

    def return_(self, node: ast.Return) -> list[ir.Stmt]:
        return [ir.Return(span_of(node), self.expr(node.value) if node.value else None)]

    def assert_(self, node: ast.Assert) -> list[ir.Stmt]:
        return [ir.asserted(span_of(node), self.expr(node.test))]

    # Expressions

    def many(self, nodes: Sequence[ast.expr]) -> tuple[ir.Expr, ...]:
        return tuple([self.expr(node) for node in nodes])

    def expr(self, node: ast.expr) -> ir.Expr:
        handle = _EXPRESSIONS.get(type(node))
        if handle is None:
            return ir.Opaque(span_of(node), "an expression")
        if self._depth >= MAX_DEPTH:
            return ir.Opaque(span_of(node), NOT_READ)
        self._depth += 1
        out = handle(self, node)
        self._depth -= 1
        return out

    def optional(self, node: ast.expr | None) -> ir.Expr | None:
        return None if node is None else self.expr(node)

    def call(self, node: ast.Call) -> ir.Expr:
        return ir.Call(span_of(node), self.expr(node.func), self.arguments(node.args, node.keywords))

    def arguments(self, positional: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> tuple[ir.Arg, ...]:
        out: list[ir.Arg] = []
        for node in positional:
            if isinstance(node, ast.Starred):
                out.append(ir.Arg(span_of(node), self.expr(node.value), None, "*"))
            else:
                out.append(ir.Arg(span_of(node), self.expr(node), None, ""))
        for keyword in keywords:
            star: ir.Star = "" if keyword.arg else "**"
            out.append(ir.Arg(span_of(keyword), self.expr(keyword.value), keyword.arg, star))
        if keywords and len(positional) and isinstance(positional[-1], ast.Starred):
            out.sort(key=lambda arg: arg.span)
        return tuple(out)

    def dict_(self, node: ast.Dict) -> ir.Expr:
        pairs = zip(node.keys, node.values, strict=True)
        return ir.DictDisplay(span_of(node), tuple([(self.optional(key), self.expr(value)) for key, value in pairs]))

    def binary(self, node: ast.BinOp) -> ir.Expr:
        span, op = span_of(node), type(node.op)
        operands: list[ast.expr] = [node.right]
        left = node.left
        while isinstance(left, ast.BinOp) and type(left.op) is op:
            operands.append(left.right)
            left = left.left
        operands.append(left)
        return ir.Operation(span, _BINARY[op], self.many(operands[::-1]))

    def compare(self, node: ast.Compare) -> ir.Expr:
        ops = tuple(_COMPARE[type(op)] for op in node.ops)
        return ir.Comparison(span_of(node), self.expr(node.left), ops, self.many(node.comparators))

    def lambda_(self, node: ast.Lambda) -> ir.Expr:
        return ir.Lambda(span_of(node), self.params(node.args), self.expr(node.body))

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> ir.Expr:
        loops = tuple(
            ir.Loop(self.expr(loop.target), self.expr(loop.iter), self.many(loop.ifs), bool(loop.is_async))
            for loop in node.generators
        )
        if isinstance(node, ast.DictComp):
            return ir.Comprehension(span_of(node), "dict", self.expr(node.key), self.expr(node.value), loops)
        kind = _COMPREHENSIONS[type(node)]
        return ir.Comprehension(span_of(node), kind, self.expr(node.elt), None, loops)

    def params(self, args: ast.arguments) -> tuple[ir.Parameter, ...]:
        plain = [*((a, "positional-only") for a in args.posonlyargs), *((a, "positional") for a in args.args)]
        defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
        found: list[tuple[ast.arg, Any, ast.expr | None]] = [
            (arg, kind, default) for (arg, kind), default in zip(plain, defaults, strict=True)
        ]
        if args.vararg:
            found.append((args.vararg, "*", None))
        found.extend((a, "keyword-only", d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True))
        if args.kwarg:
            found.append((args.kwarg, "**", None))
        return tuple(
            ir.Parameter(
                span_of(arg), arg.arg, kind, self.optional(default), span_of(arg.annotation) if arg.annotation else None
            )
            for arg, kind, default in found
        )

    def name_span(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, keyword: str) -> Span:
        """`ast` has no place for the name of a class or function: it follows the keyword."""
        line = self._lines[node.lineno - 1].encode() if node.lineno <= len(self._lines) else b""
        name = node.name.encode()
        found = _KEYWORD[keyword].search(line, node.col_offset)
        start = found.end() if found else -1
        if start < 0 or not line.startswith(name, start):  # normalized, or after a line continuation
            return (node.lineno, node.col_offset, node.lineno, node.col_offset + len(keyword))
        return (node.lineno, start, node.lineno, start + len(name))


_COMPREHENSIONS: dict[type[ast.expr], Literal["list", "set", "generator"]] = {
    ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator",
}  # fmt: skip
_STATEMENTS: dict[type[ast.stmt], Callable[[_Lowering, Any], list[ir.Stmt]]] = {
    ast.Assign: _Lowering.assign,
    ast.AnnAssign: _Lowering.annotate,
    ast.AugAssign: _Lowering.augment,
    ast.Delete: _Lowering.delete,
    ast.Expr: _Lowering.do,
    ast.Import: _Lowering.plain_import,
    ast.ImportFrom: _Lowering.from_import,
    ast.ClassDef: _Lowering.class_,
    ast.FunctionDef: _Lowering.function,
    ast.AsyncFunctionDef: _Lowering.function,
    ast.If: _Lowering.if_,
    ast.For: _Lowering.for_,
    ast.AsyncFor: _Lowering.for_,
    ast.While: _Lowering.while_,
    ast.Try: _Lowering.try_,
    ast.TryStar: _Lowering.try_,
    ast.With: _Lowering.with_,
    ast.AsyncWith: _Lowering.with_,
    ast.Match: _Lowering.match,
    ast.Raise: _Lowering.raise_,
    ast.Return: _Lowering.return_,
    ast.Assert: _Lowering.assert_,
    ast.Break: lambda lowering, node: [ir.Jump(span_of(node), "break")],
    ast.Continue: lambda lowering, node: [ir.Jump(span_of(node), "continue")],
    ast.Global: lambda lowering, node: [ir.Global(span_of(node), "global", tuple(node.names))],
    ast.Nonlocal: lambda lowering, node: [ir.Global(span_of(node), "nonlocal", tuple(node.names))],
}
if hasattr(ast, "TypeAlias"):  # 3.12
    _STATEMENTS[ast.TypeAlias] = lambda lowering, node: [ir.TypeAliasStmt(span_of(node), node.name.id)]

_EXPRESSIONS: dict[type[ast.expr], Callable[[_Lowering, Any], ir.Expr]] = {
    ast.Constant: lambda lowering, node: ir.Const(span_of(node), node.value),
    ast.Name: lambda lowering, node: ir.Name(span_of(node), node.id),
    ast.Await: lambda lowering, node: ir.Await(span_of(node), lowering.expr(node.value)),
    ast.Yield: lambda lowering, node: ir.Yield(span_of(node), lowering.optional(node.value), False),
    ast.YieldFrom: lambda lowering, node: ir.Yield(span_of(node), lowering.expr(node.value), True),
    ast.Attribute: lambda lowering, node: ir.Attr(span_of(node), lowering.expr(node.value), node.attr),
    ast.Call: _Lowering.call,
    ast.Subscript: lambda lowering, node: ir.Subscript(
        span_of(node), lowering.expr(node.value), lowering.expr(node.slice)
    ),
    ast.Slice: lambda lowering, node: ir.Slice(
        span_of(node), lowering.optional(node.lower), lowering.optional(node.upper), lowering.optional(node.step)
    ),
    ast.Starred: lambda lowering, node: ir.Starred(span_of(node), lowering.expr(node.value)),
    ast.List: lambda lowering, node: ir.Display(span_of(node), "list", lowering.many(node.elts)),
    ast.Tuple: lambda lowering, node: ir.Display(span_of(node), "tuple", lowering.many(node.elts)),
    ast.Set: lambda lowering, node: ir.Display(span_of(node), "set", lowering.many(node.elts)),
    ast.Dict: _Lowering.dict_,
    ast.BinOp: _Lowering.binary,
    ast.UnaryOp: lambda lowering, node: ir.Unary(span_of(node), _UNARY[type(node.op)], lowering.expr(node.operand)),
    ast.BoolOp: lambda lowering, node: ir.Boolean(
        span_of(node), "and" if isinstance(node.op, ast.And) else "or", lowering.many(node.values)
    ),
    ast.Compare: _Lowering.compare,
    ast.IfExp: lambda lowering, node: ir.Conditional(
        span_of(node), lowering.expr(node.test), lowering.expr(node.body), lowering.expr(node.orelse)
    ),
    ast.JoinedStr: lambda lowering, node: ir.FString(span_of(node), ir.merged(lowering.many(node.values))),
    ast.FormattedValue: lambda lowering, node: ir.Formatted(
        span_of(node), lowering.expr(node.value), _CONVERSIONS[node.conversion], lowering.optional(node.format_spec)
    ),
    ast.Lambda: _Lowering.lambda_,
    ast.ListComp: _Lowering.comprehension,
    ast.SetComp: _Lowering.comprehension,
    ast.GeneratorExp: _Lowering.comprehension,
    ast.DictComp: _Lowering.comprehension,
    ast.NamedExpr: lambda lowering, node: ir.Walrus(span_of(node), node.target.id, lowering.expr(node.value)),
}
