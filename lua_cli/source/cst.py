"""libcst → facts: the reader of record for the statements that the product judges and rewrites.

In: statements of a module as text, pruned of function bodies. Out: the same facts that `lowering.py` makes from `ast`,
without places (`NOWHERE`); `grafting.py` puts the places in. libcst is imported only in the function that parses: it
costs more than all else of a small compile. Walks by itself instead of by visitors, which fail on a long prompt of
implicitly concatenated lines.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Literal

from lua_cli.source import ir
from lua_cli.source.spans import Span

NOWHERE: Span = (0, 0, 0, 0)
Node = Any  # a libcst node; their classes are not imported here

_BINARY = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%", "Power": "**",
    "LeftShift": "<<", "RightShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&", "MatrixMultiply": "@",
}  # fmt: skip
_UNARY: dict[str, Literal["not", "-", "+", "~"]] = {"Not": "not", "Minus": "-", "Plus": "+", "BitInvert": "~"}
_COMPARE = {
    "Equal": "==", "NotEqual": "!=", "LessThan": "<", "LessThanEqual": "<=", "GreaterThan": ">",
    "GreaterThanEqual": ">=", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not",
}  # fmt: skip
_SINGLETONS: dict[str, object] = {"True": True, "False": False, "None": None}


class UnreadableError(Exception):
    """libcst does not read the text."""


def read(text: str) -> tuple[ir.Stmt, ...]:
    """The facts of the statements in a text. Raises UnreadableError."""
    import libcst

    try:
        module = libcst.parse_module(text)
        return tuple(map(_plain, _Reader(module).block(module.body)))
    except (libcst.ParserSyntaxError, libcst.CSTLogicError, RecursionError) as error:
        raise UnreadableError(str(error)) from error


def _plain(statement: ir.Stmt) -> ir.Stmt:
    """A statement of the top level, without the parameters that are read on demand (`ir.Function`)."""
    if not isinstance(statement, ir.Function) or statement.decorators:
        return statement
    plain = all(param.default is None or isinstance(param.default, ir.Const) for param in statement.params or ())
    return statement._replace(params=None) if plain else statement


class _Reader:
    def __init__(self, module: Node) -> None:
        self._module = module

    # Statements

    def block(self, body: Iterable[Node]) -> tuple[ir.Stmt, ...]:
        out: list[ir.Stmt] = []
        for statement in body:
            kind = type(statement).__name__
            if kind in ("SimpleStatementLine", "SimpleStatementSuite"):
                out.extend(self.block(statement.body))
            else:
                handle = _STATEMENTS.get(kind)
                out.extend(handle(self, statement) if handle else ())
        return tuple(out)

    def suite(self, node: Node | None) -> tuple[ir.Stmt, ...]:
        """The body of a compound statement or of an else."""
        if node is None:
            return ()
        inner = node.body if type(node).__name__ in ("Else", "Finally") else node
        return self.block(inner.body)

    def assign(self, node: Node) -> list[ir.Stmt]:
        return [ir.Assign(NOWHERE, tuple(self.expr(t.target) for t in node.targets), self.expr(node.value))]

    def annotate(self, node: Node) -> list[ir.Stmt]:
        target, annotation = self.expr(node.target), self.expr(node.annotation.annotation)
        return [ir.Annotate(NOWHERE, target, annotation, self.optional(node.value))]

    def augment(self, node: Node) -> list[ir.Stmt]:
        op = _BINARY[type(node.operator).__name__.removesuffix("Assign")]
        return [ir.Augment(NOWHERE, self.expr(node.target), op, self.expr(node.value))]

    def delete(self, node: Node) -> list[ir.Stmt]:
        target = self.expr(node.target)
        if isinstance(target, ir.Display) and target.kind == "tuple" and not node.target.lpar:
            return [ir.Delete(NOWHERE, target.items)]
        return [ir.Delete(NOWHERE, (target,))]

    def plain_import(self, node: Node) -> list[ir.Stmt]:
        return [ir.Import(NOWHERE, self.dotted(alias.name), self.asname(alias)) for alias in node.names]

    def from_import(self, node: Node) -> list[ir.Stmt]:
        names: tuple[ir.ImportedName, ...] = (ir.ImportedName(NOWHERE, "*", None),)
        if type(node.names).__name__ != "ImportStar":
            names = tuple(ir.ImportedName(NOWHERE, alias.name.value, self.asname(alias)) for alias in node.names)
        module = self.dotted(node.module) if node.module else ""
        return [ir.FromImport(NOWHERE, len(node.relative), module, names)]

    def class_(self, node: Node) -> list[ir.Stmt]:
        params = getattr(node, "type_parameters", None)
        names = tuple(param.param.name.value for param in params.params) if params else ()
        bases = self.arguments([*node.bases, *node.keywords])
        decorators = tuple(self.expr(decorator.decorator) for decorator in node.decorators)
        return [ir.Class(NOWHERE, node.name.value, NOWHERE, bases, decorators, self.suite(node.body), names)]

    def function(self, node: Node) -> list[ir.Stmt]:
        decorators = tuple(self.expr(decorator.decorator) for decorator in node.decorators)
        is_async = node.asynchronous is not None
        params = self.params(node.params)
        return [ir.Function(NOWHERE, node.name.value, NOWHERE, is_async, params, decorators, (), (0, 0))]

    def if_(self, node: Node) -> list[ir.Stmt]:
        branches = [(self.expr(node.test), self.suite(node.body))]
        while type(node.orelse).__name__ == "If":
            node = node.orelse
            branches.append((self.expr(node.test), self.suite(node.body)))
        orelse = self.suite(node.orelse)
        if len(orelse) == 1 and isinstance(orelse[0], ir.If):  # `else: if …` is `elif` to ast
            return [ir.If(NOWHERE, (*branches, *orelse[0].branches), orelse[0].orelse)]
        return [ir.If(NOWHERE, tuple(branches), orelse)]

    def for_(self, node: Node) -> list[ir.Stmt]:
        target, over = self.expr(node.target), self.expr(node.iter)
        return [ir.For(NOWHERE, target, over, self.suite(node.body), self.suite(node.orelse))]

    def while_(self, node: Node) -> list[ir.Stmt]:
        return [ir.While(NOWHERE, self.expr(node.test), self.suite(node.body), self.suite(node.orelse))]

    def try_(self, node: Node) -> list[ir.Stmt]:
        handlers = tuple(
            ir.Handler(self.optional(h.type), h.name.name.value if h.name else None, self.suite(h.body))
            for h in node.handlers
        )
        orelse, final = self.suite(node.orelse), self.suite(node.finalbody)
        return [ir.Try(NOWHERE, self.suite(node.body), handlers, orelse, final)]

    def with_(self, node: Node) -> list[ir.Stmt]:
        items = tuple(
            (self.expr(item.item), self.expr(item.asname.name) if item.asname else None) for item in node.items
        )
        return [ir.With(NOWHERE, items, self.suite(node.body))]

    def match(self, node: Node) -> list[ir.Stmt]:
        cases: list[ir.Case] = []
        for case in node.cases:
            guard = self.optional(case.guard)
            bare = type(case.pattern).__name__ == "MatchAs" and case.pattern.pattern is None
            irrefutable = bare and guard is None
            alternatives = self.alternatives(case.pattern)
            cases.append(ir.Case(_captures(case.pattern), irrefutable, guard, self.suite(case.body), alternatives))
        return [ir.Match(NOWHERE, self.expr(node.subject), tuple(cases))]

    def yielded(self, node: Node) -> ir.Expr:
        whole = type(node.value).__name__ == "From"
        return ir.Yield(NOWHERE, self.optional(node.value.item if whole else node.value), whole)

    def alternatives(self, pattern: Node) -> tuple[ir.Expr, ...]:
        match type(pattern).__name__:
            case "MatchValue" | "MatchSingleton":
                return (self.expr(pattern.value),)
            case "MatchOr":
                found = [self.alternatives(one.pattern) for one in pattern.patterns]
                return tuple(value for values in found for value in values) if all(found) else ()
        return ()

    # Expressions

    def expr(self, node: Node) -> ir.Expr:
        handle = _EXPRESSIONS.get(type(node).__name__)
        return handle(self, node) if handle else ir.Opaque(NOWHERE, "an expression")

    def optional(self, node: Node | None) -> ir.Expr | None:
        return None if node is None else self.expr(node)

    def name(self, node: Node) -> ir.Expr:
        if node.value in _SINGLETONS:
            return ir.Const(NOWHERE, _SINGLETONS[node.value])
        return ir.Name(NOWHERE, node.value)

    def dotted(self, node: Node) -> str:
        parts: list[str] = []
        while type(node).__name__ == "Attribute":
            parts.append(node.attr.value)
            node = node.value
        return ".".join([node.value, *reversed(parts)])

    def asname(self, alias: Node) -> str | None:
        return alias.asname.name.value if alias.asname else None

    def arguments(self, args: Iterable[Node]) -> tuple[ir.Arg, ...]:
        return tuple(
            ir.Arg(NOWHERE, self.expr(arg.value), arg.keyword.value if arg.keyword else None, arg.star) for arg in args
        )

    def subscript(self, node: Node) -> ir.Expr:
        first = node.slice[0]
        single = len(node.slice) == 1 and type(first.comma).__name__ != "Comma"
        if single and not getattr(first.slice, "star", None):
            key = self.key(first.slice)
        else:
            key = ir.Display(NOWHERE, "tuple", tuple(self.key(element.slice) for element in node.slice))
        return ir.Subscript(NOWHERE, self.expr(node.value), key)

    def key(self, node: Node) -> ir.Expr:
        if type(node).__name__ == "Slice":
            return ir.Slice(NOWHERE, self.optional(node.lower), self.optional(node.upper), self.optional(node.step))
        value = self.expr(node.value)
        return ir.Starred(NOWHERE, value) if node.star else value

    def display(self, kind: Literal["list", "tuple", "set"], node: Node) -> ir.Expr:
        items = tuple(
            ir.Starred(NOWHERE, self.expr(e.value)) if type(e).__name__ == "StarredElement" else self.expr(e.value)
            for e in node.elements
        )
        return ir.Display(NOWHERE, kind, items)

    def dict_(self, node: Node) -> ir.Expr:
        items = tuple(
            (None if type(e).__name__ == "StarredDictElement" else self.expr(e.key), self.expr(e.value))
            for e in node.elements
        )
        return ir.DictDisplay(NOWHERE, items)

    def binary(self, node: Node) -> ir.Expr:
        kind = type(node.operator).__name__
        operands = [node.right]
        left = node.left
        while type(left).__name__ == "BinaryOperation" and type(left.operator).__name__ == kind:
            operands.append(left.right)
            left = left.left
        operands.append(left)
        return ir.Operation(NOWHERE, _BINARY[kind], tuple(self.expr(operand) for operand in reversed(operands)))

    def boolean(self, node: Node) -> ir.Expr:
        kind = type(node.operator).__name__
        operands: list[Node] = []
        stack = [node.right, node.left]
        while stack:
            part = stack.pop()
            same = type(part).__name__ == "BooleanOperation" and type(part.operator).__name__ == kind
            if same and not part.lpar:
                stack.extend((part.right, part.left))
            else:
                operands.append(part)
        op: Literal["and", "or"] = "and" if kind == "And" else "or"
        return ir.Boolean(NOWHERE, op, tuple(self.expr(operand) for operand in operands))

    def comparison(self, node: Node) -> ir.Expr:
        ops = tuple(_COMPARE[type(target.operator).__name__] for target in node.comparisons)
        others = tuple(self.expr(target.comparator) for target in node.comparisons)
        return ir.Comparison(NOWHERE, self.expr(node.left), ops, others)

    def lambda_(self, node: Node) -> ir.Expr:
        return ir.Lambda(NOWHERE, self.params(node.params), self.expr(node.body))

    def params(self, node: Node) -> tuple[ir.Parameter, ...]:
        out = [self.param(param, "positional-only") for param in node.posonly_params]
        out.extend(self.param(param, "positional") for param in node.params)
        if type(node.star_arg).__name__ == "Param":
            out.append(self.param(node.star_arg, "*"))
        out.extend(self.param(param, "keyword-only") for param in node.kwonly_params)
        if node.star_kwarg is not None:
            out.append(self.param(node.star_kwarg, "**"))
        return tuple(out)

    def param(self, node: Node, kind: ir.ParameterKind) -> ir.Parameter:
        annotation = NOWHERE if node.annotation is not None else None
        return ir.Parameter(NOWHERE, node.name.value, kind, self.optional(node.default), annotation)

    def comprehension(self, kind: Literal["list", "set", "generator", "dict"], node: Node) -> ir.Expr:
        loops: list[ir.Loop] = []
        loop = node.for_in
        while loop is not None:
            conditions = tuple(self.expr(condition.test) for condition in loop.ifs)
            is_async = loop.asynchronous is not None
            loops.append(ir.Loop(self.expr(loop.target), self.expr(loop.iter), conditions, is_async))
            loop = loop.inner_for_in
        element = self.expr(node.key if kind == "dict" else node.elt)
        value = self.expr(node.value) if kind == "dict" else None
        return ir.Comprehension(NOWHERE, kind, element, value, tuple(loops))

    # Strings

    def string(self, node: Node) -> ir.Expr:
        """A string, or several that are implicitly concatenated: one constant, or one f-string."""
        parts: list[Node] = []
        while type(node).__name__ == "ConcatenatedString":
            parts.append(node.left)
            node = node.right
        parts.append(node)
        if all(type(part).__name__ == "SimpleString" for part in parts):
            values = [part.evaluated_value for part in parts]
            return ir.Const(NOWHERE, values[0][:0].join(values))
        out: list[ir.Expr] = []
        for part in parts:
            if type(part).__name__ == "SimpleString":
                out.append(ir.Const(NOWHERE, part.evaluated_value))
            else:
                out.extend(self.fstring_parts(part.parts, part.start))
        return ir.FString(NOWHERE, ir.merged(out))

    def fstring_parts(self, parts: Iterable[Node], start: str) -> list[ir.Expr]:
        out: list[ir.Expr] = []
        for part in parts:
            if type(part).__name__ == "FormattedStringText":
                out.append(ir.Const(NOWHERE, _unescaped(part.value, start)))
                continue
            spec = None
            if part.format_spec is not None:
                spec = ir.FString(NOWHERE, ir.merged(self.fstring_parts(part.format_spec, start)))
            conversion = part.conversion or ""
            if part.equal is not None:
                written = self._module.code_for_node(part.expression)
                before, after = part.equal.whitespace_before, part.equal.whitespace_after
                text = f"{self._space(part.whitespace_before_expression)}{written}{self._space(before)}="
                out.append(ir.Const(NOWHERE, text + self._space(after)))
                conversion = conversion or ("" if spec else "r")
            out.append(ir.Formatted(NOWHERE, self.expr(part.expression), conversion, spec))
        return out

    def _space(self, node: Node) -> str:
        return str(self._module.code_for_node(node))


def _unescaped(text: str, start: str) -> str:
    """The text of an f-string between its replacements, as Python reads it."""
    quote = start.lstrip("fFrR")
    raw = "r" if "r" in start.lower() else ""
    text = text.replace("{{", "{").replace("}}", "}")
    if not raw and "\\" not in text:
        return text
    return text if raw else str(ast.literal_eval(f"{quote}{text}{quote}"))


def _captures(pattern: Node) -> tuple[str, ...]:
    """The names that a pattern binds, sorted."""
    out: set[str] = set()
    stack = [pattern]
    while stack:
        node = stack.pop()
        kind = type(node).__name__
        if kind in ("MatchAs", "MatchStar") and node.name is not None:
            out.add(node.name.value)
        if kind == "MatchMapping" and node.rest is not None:
            out.add(node.rest.value)
        stack.extend(node.children)
    return tuple(sorted(out))


_STATEMENTS: dict[str, Callable[[_Reader, Node], Iterable[ir.Stmt]]] = {
    "Assign": _Reader.assign,
    "AnnAssign": _Reader.annotate,
    "AugAssign": _Reader.augment,
    "Del": _Reader.delete,
    "Expr": lambda reader, node: [ir.Do(NOWHERE, reader.expr(node.value))],
    "Import": _Reader.plain_import,
    "ImportFrom": _Reader.from_import,
    "ClassDef": _Reader.class_,
    "FunctionDef": _Reader.function,
    "If": _Reader.if_,
    "For": _Reader.for_,
    "While": _Reader.while_,
    "Try": _Reader.try_,
    "TryStar": _Reader.try_,
    "With": _Reader.with_,
    "Match": _Reader.match,
    "Raise": lambda reader, node: [ir.Raise(NOWHERE, reader.optional(node.exc))],
    "Return": lambda reader, node: [ir.Return(NOWHERE, reader.optional(node.value))],
    "Break": lambda reader, node: [ir.Jump(NOWHERE, "break")],
    "Continue": lambda reader, node: [ir.Jump(NOWHERE, "continue")],
    "Global": lambda reader, node: [ir.Global(NOWHERE, "global", tuple(item.name.value for item in node.names))],
    "Nonlocal": lambda reader, node: [ir.Global(NOWHERE, "nonlocal", tuple(item.name.value for item in node.names))],
    "TypeAlias": lambda reader, node: [ir.TypeAliasStmt(NOWHERE, node.name.value)],
    "Assert": lambda reader, node: [ir.asserted(NOWHERE, reader.expr(node.test))],
}
_EXPRESSIONS: dict[str, Callable[[_Reader, Node], ir.Expr]] = {
    "Name": _Reader.name,
    "Integer": lambda reader, node: ir.Const(NOWHERE, node.evaluated_value),
    "Float": lambda reader, node: ir.Const(NOWHERE, node.evaluated_value),
    "Imaginary": lambda reader, node: ir.Const(NOWHERE, node.evaluated_value),
    "Ellipsis": lambda reader, node: ir.Const(NOWHERE, ...),
    "SimpleString": _Reader.string,
    "ConcatenatedString": _Reader.string,
    "FormattedString": _Reader.string,
    "Attribute": lambda reader, node: ir.Attr(NOWHERE, reader.expr(node.value), node.attr.value),
    "Call": lambda reader, node: ir.Call(NOWHERE, reader.expr(node.func), reader.arguments(node.args)),
    "Subscript": _Reader.subscript,
    "List": lambda reader, node: reader.display("list", node),
    "Tuple": lambda reader, node: reader.display("tuple", node),
    "Set": lambda reader, node: reader.display("set", node),
    "Dict": _Reader.dict_,
    "BinaryOperation": _Reader.binary,
    "UnaryOperation": lambda reader, node: ir.Unary(
        NOWHERE, _UNARY[type(node.operator).__name__], reader.expr(node.expression)
    ),
    "BooleanOperation": _Reader.boolean,
    "Comparison": _Reader.comparison,
    "IfExp": lambda reader, node: ir.Conditional(
        NOWHERE, reader.expr(node.test), reader.expr(node.body), reader.expr(node.orelse)
    ),
    "Lambda": _Reader.lambda_,
    "ListComp": lambda reader, node: reader.comprehension("list", node),
    "SetComp": lambda reader, node: reader.comprehension("set", node),
    "GeneratorExp": lambda reader, node: reader.comprehension("generator", node),
    "DictComp": lambda reader, node: reader.comprehension("dict", node),
    "NamedExpr": lambda reader, node: ir.Walrus(NOWHERE, node.target.value, reader.expr(node.value)),
    "Await": lambda reader, node: ir.Await(NOWHERE, reader.expr(node.expression)),
    "Yield": _Reader.yielded,
    "StarredElement": lambda reader, node: ir.Starred(NOWHERE, reader.expr(node.value)),
}
