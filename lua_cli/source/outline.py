"""What of a source is left when the bodies of functions are taken out that nothing has looked into.

In: a module's tree, text and reads, and the numbers of the functions whose bodies somebody has read or run. Out: an
`Outline`: two texts with equal outlines mean the same to whoever did not look into the bodies that were taken out.
Pure.

A body begins after its docstring and stays in where it shares a line with its `def`. What a body says to the outside
stays too: that it yields, what it declares `global`, whether it uses `super`; and all that it asks for (imports,
variables, files), in order.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lua_cli.source.spans import Span, shown_span

if TYPE_CHECKING:
    from lua_cli.source.reads import RawReads

_INNER = ("body", "orelse", "finalbody", "handlers", "cases")
_STAYS = "lua:"  # a body with a suppression stays in


class Body(NamedTuple):
    """The body of an outermost function. Lines from 1, both ends included.

    start, end   the function, decorators included
    first        the first line that can be taken out; after `end` where none can
    says         what of it can be seen without looking into it
    """

    start: int
    end: int
    first: int
    says: str


class Outline(NamedTuple):
    """`blanks` are the ranges of lines that were taken out; `inside` are the places of what is asked for in
    them, as people count, in a fixed order."""

    digest: str
    blanks: tuple[tuple[int, int], ...]
    inside: tuple[Span, ...]


def bodies_of(tree: ast.Module, text: str) -> tuple[Body, ...]:
    """The bodies of a module's functions and methods, in order."""
    lines = text.split("\n")
    speaks = "yield" in text or "global" in text
    return tuple(_body(node, lines, speaks) for node in _outermost(tree))


def numbers_at(bodies: Sequence[Body], lines: Collection[int]) -> list[int]:
    """The numbers of the bodies that hold one of the lines, or whose function begins there."""
    return [number for number, body in enumerate(bodies) if any(body.start <= line <= body.end for line in lines)]


def outline(text: str, bodies: Sequence[Body], reads: RawReads, kept: Collection[int]) -> Outline:
    """The outline of a module; `kept` are the numbers of the bodies that stay in."""
    lines = text.split("\n")
    blanks: list[tuple[int, int]] = []
    left: list[str] = []
    at = 1
    for number, body in enumerate(bodies):
        if number in kept or body.first > body.end or any(_STAYS in line for line in lines[body.first - 1 : body.end]):
            continue
        left += lines[at - 1 : body.first - 1]
        left.append(f"\0{body.says}")
        blanks.append((body.first, body.end))
        at = body.end + 1
    left += lines[at - 1 :]
    asked, inside = _asked(reads, blanks, lines)
    content = "\n".join([*left, "\0", *asked])
    return Outline(hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(), tuple(blanks), inside)


def _asked(
    reads: RawReads, blanks: Sequence[tuple[int, int]], lines: Sequence[str]
) -> tuple[list[str], tuple[Span, ...]]:
    """What is asked for, with the number of the body that asks; and where in bodies."""
    said: list[str] = []
    inside: list[Span] = []
    for span, what in _every(reads):
        number = next((at for at, (first, last) in enumerate(blanks) if first <= span[0] <= last), -1)
        said.append(f"{number} {what!r}")
        if number >= 0:
            inside.append(shown_span(span, lines))
    return said, tuple(inside)


def _every(reads: RawReads) -> Iterator[tuple[Span, tuple[object, ...]]]:
    for one in reads.imports:
        yield one.span, ("import", one.kind, one.module, one.name, one.level, one.guard)
    for name, span, has_default, need in reads.env:
        yield span, ("env", name, has_default, need)
    for text, span, has_default, need in reads.computed:
        yield span, ("computed", text, has_default, need)
    for kind, text, span in reads.local:
        yield span, ("local", kind, text)
    for target, package, span in reads.data:
        yield span, ("data", target, package)


def _outermost(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of the module and of its classes, also in branches; not those in functions."""
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            continue
        for part in reversed(_INNER):
            stack.extend(reversed(getattr(node, part, None) or ()) if not isinstance(node, ast.expr) else ())


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: Sequence[str], speaks: bool) -> Body:
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    end = node.end_lineno or node.lineno
    statements = list(node.body)
    head = max([node.lineno, *(one.end_lineno or 0 for one in _of_head(node))])
    if ast.get_docstring(node, clean=False) is not None:
        head = statements.pop(0).end_lineno or head
    first = min([_start(statement) for statement in statements[:1]], default=end + 1)
    if first <= head:
        return Body(start, end, end + 1, "")
    while first - 1 > head and lines[first - 2].lstrip()[:1] in ("", "#"):
        first -= 1
    inside = "\n".join(lines[first - 1 : end])
    says = ["super" if "super" in inside or "__class__" in inside else ""]
    if speaks:
        says += [str(_yields(node)), *sorted({n for g in ast.walk(node) if isinstance(g, ast.Global) for n in g.names})]
    return Body(start, end, first, " ".join(says))


def _start(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _of_head(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr | ast.arg]:
    given = node.args
    plain = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    for one in (*plain, *given.defaults, *given.kw_defaults, node.returns):
        if isinstance(one, ast.expr | ast.arg):
            yield one


def _yields(function: ast.AST) -> bool:
    """Whether calling it makes a generator."""
    stack = [function]
    while stack:
        for node in ast.iter_child_nodes(stack.pop()):
            if isinstance(node, ast.Yield | ast.YieldFrom):
                return True
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
                stack.append(node)
    return False
