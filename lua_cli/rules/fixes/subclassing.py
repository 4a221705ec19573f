"""The fix for constructor arguments: a subclass that brings them itself, above the statement that registers the tool.

In: the source, the place of the call, what the class does with its parameters. Out: a `Fix`, or None where the result
would not surely behave as the call did. A plain value becomes a field that a further subclass can override; anything
else is handed to the constructor as it is written, since a function, say, would turn into a method on its way through a
field.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from lua_cli.diagnostics import Edit, Fix, Place
from lua_cli.records import record
from lua_cli.rules.fixes.rewriting import calling

_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_NOT_MOVABLE = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


@record(frozen=True)
class Constructor:
    """What is known of the class: its name without dots, its positional parameters, and parameter → field of the
    instance.

    `fields` is empty where a class attribute would not do (a pydantic model)."""

    name: str
    parameters: Sequence[str]
    fields: Mapping[str, str]


def subclass_fix(text: str, call: Place, constructor: Constructor, label: str) -> Fix | None:
    """`label` gives the subclass its name where no argument does."""
    lines = text.split("\n")
    found = _find(text, lines, call)
    if found is None:
        return None
    statement, node = found
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    if any(not _movable(value) for value in values):
        return None
    base, written = ast.get_source_segment(text, node.func), ast.get_source_segment(text, node)
    if base is None or written is None or not re.fullmatch(r"[\w.]+", base):
        return None
    name = _free_name(_prefix(values, label) + constructor.name, text)
    body = _class(name, base, list(_arguments(text, node, constructor)))
    replaced = calling(written, name)
    if replaced is None:
        return None
    line, before = _insertion(lines, statement)
    inserted = Edit(Place(call.path, line, 1, line, 1), "\n" * before + body + "\n\n\n")
    return Fix(f"Bring the arguments in a subclass, `{name}`", (inserted, Edit(call, replaced)))


def _find(text: str, lines: Sequence[str], call: Place) -> tuple[ast.stmt, ast.Call] | None:
    """The call, and the statement of the module's top level that it is part of, unless another scope lies between."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    start, end = (
        (line, len(lines[line - 1][: column - 1].encode("utf-8")))
        for line, column in ((call.line, call.column), (call.end_line, call.end_column))
    )
    for statement in module.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
            continue
        if not statement.lineno <= call.line <= (statement.end_lineno or 0):
            continue
        for node in _same_scope(statement):
            if isinstance(node, ast.Call) and ((node.lineno, node.col_offset), _end(node)) == (start, end):
                return statement, node
    return None


def _end(node: ast.expr) -> tuple[int | None, int | None]:
    return node.end_lineno, node.end_col_offset


def _same_scope(node: ast.AST) -> Iterator[ast.AST]:
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending += [child for child in ast.iter_child_nodes(current) if not isinstance(child, _SCOPES)]


def _movable(value: ast.expr) -> bool:
    """Whether the expression means the same in a method: no binding, and no name that a class body would mangle."""
    return value.lineno == value.end_lineno and not any(
        isinstance(node, _NOT_MOVABLE)
        or (isinstance(node, ast.Name) and node.id.startswith("__") and not node.id.endswith("__"))
        for node in ast.walk(value)
    )


def _arguments(text: str, call: ast.Call, constructor: Constructor) -> Iterator[tuple[str, str, str | None]]:
    """(what to write before the value, the value, the field that takes it or None), in the order of the call."""
    parameters = iter(constructor.parameters)
    starred = False
    for value in call.args:
        starred = starred or isinstance(value, ast.Starred)
        parameter = None if starred else next(parameters, None)
        yield "", ast.get_source_segment(text, value) or "", _field(value, parameter, constructor)
    for keyword in call.keywords:
        prefix = f"{keyword.arg}=" if keyword.arg else "**"
        source = ast.get_source_segment(text, keyword.value) or ""
        yield prefix, source, _field(keyword.value, keyword.arg, constructor)


def _field(value: ast.expr, parameter: str | None, constructor: Constructor) -> str | None:
    plain = isinstance(value, ast.Constant | ast.JoinedStr) or (
        isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant)
    )
    return constructor.fields.get(parameter) if plain and parameter else None


def _class(name: str, base: str, arguments: Sequence[tuple[str, str, str | None]]) -> str:
    fields = [f"    {field} = {value}" for _, value, field in arguments if field]
    handed = ", ".join(prefix + (f"self.{field}" if field else value) for prefix, value, field in arguments)
    constructor = ["    def __init__(self) -> None:", f"        super().__init__({handed})"]
    return "\n".join([f"class {name}({base}):", *fields, *([""] if fields else []), *constructor])


def _prefix(values: Sequence[ast.expr], label: str) -> str:
    """A word in front of the class's name: from the first text among the arguments, else from the label."""
    texts = [value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
    words = re.findall(r"[A-Za-z0-9]+", texts[0] if texts else "") or re.findall(r"[A-Za-z0-9]+", label)
    prefix = "".join(word[:1].upper() + word[1:] for word in words)[:30]
    return prefix if prefix[:1].isalpha() else "My"


def _free_name(name: str, text: str) -> str:
    number, free = 1, name
    while re.search(rf"\b{free}\b", text):
        number += 1
        free = f"{name}{number}"
    return free


def _insertion(lines: Sequence[str], statement: ast.stmt) -> tuple[int, int]:
    """The line before which the class goes (above the statement's comments), and how many blank lines to add first."""
    line = statement.lineno
    while line > 1 and lines[line - 2].startswith("#"):
        line -= 1
    blank = 0
    while line - 2 - blank >= 0 and not lines[line - 2 - blank].strip():
        blank += 1
    return line, 0 if line - 1 - blank <= 0 else max(0, 2 - blank)
