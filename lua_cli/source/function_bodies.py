"""Where the bodies of a module's functions are, as whole lines, and what they say to the outside.

In: a syntax tree and its text. Out: `Body`s, in order. Pure. Knows nodes by the names of their classes: `ast` loads
`enum` and `re`, and after an edit this is asked before anything else.

A body begins after its docstring. Where it shares a line with its `def`, nothing of it can be taken out.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    import ast
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

FUNCTIONS = frozenset({"FunctionDef", "AsyncFunctionDef"})
_SCOPES = FUNCTIONS | {"Lambda", "ClassDef"}
_INNER = ("body", "orelse", "finalbody", "handlers", "cases")


class Body(tuple[int, int, int, str]):
    """The body of an outermost function. Lines from 1, both ends included.

    start, end   the function, decorators included
    first        the first line that can be taken out; after `end` where none can
    says         what of it can be seen without looking into it: that it yields, what it declares `global`, whether it
                 uses `super`
    """

    __slots__ = ()

    def __new__(cls, start: int, end: int, first: int, says: str) -> Body:
        return tuple.__new__(cls, (start, end, first, says))

    def __getnewargs__(self) -> tuple[int, int, int, str]:
        return self.start, self.end, self.first, self.says

    @property
    def start(self) -> int:
        return self[0]

    @property
    def end(self) -> int:
        return self[1]

    @property
    def first(self) -> int:
        return self[2]

    @property
    def says(self) -> str:
        return self[3]


def kind(node: object) -> str:
    """The name of a node's class."""
    return type(node).__name__


def bodies_of(tree: ast.Module, text: str) -> tuple[Body, ...]:
    """The bodies of a module's functions and methods, in order."""
    lines = text.split("\n")
    speaks = "yield" in text or "global" in text
    return tuple(_body(node, lines, speaks) for node in outermost(tree))


def numbers_at(bodies: Sequence[Body], lines: Collection[int]) -> list[int]:
    """The numbers of the bodies that hold one of the lines, or whose function begins there."""
    return [number for number, body in enumerate(bodies) if any(body.start <= line <= body.end for line in lines)]


def outermost(tree: ast.Module) -> Iterator[Any]:
    """The functions of the module and of its classes, also in branches; not those in functions."""
    stack: list[Any] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if kind(node) in FUNCTIONS:
            yield node
            continue
        for part in reversed(_INNER):
            inner = getattr(node, part, None)
            if isinstance(inner, list):
                stack.extend(reversed(inner))


def children(node: Any) -> Iterator[Any]:
    """The nodes right below, in order."""
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            yield from (one for one in value if hasattr(one, "_fields"))
        elif hasattr(value, "_fields"):
            yield value


def walk(node: Any) -> Iterator[Any]:
    """A node and all below it."""
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        stack.extend(children(one))


def _body(node: Any, lines: Sequence[str], speaks: bool) -> Body:
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    end = node.end_lineno or node.lineno
    statements = list(node.body)
    head = max([node.lineno, *(one.end_lineno or 0 for one in _of_head(node))])
    if is_docstring(statements[0]):
        head = statements.pop(0).end_lineno or head
    first = min([_start(statement) for statement in statements[:1]], default=end + 1)
    if first <= head:
        return Body(start, end, end + 1, "")
    while first - 1 > head and lines[first - 2].lstrip()[:1] in ("", "#"):
        first -= 1
    inside = "\n".join(lines[first - 1 : end])
    says = ["super" if "super" in inside or "__class__" in inside else ""]
    if speaks:
        says += [str(_yields(node)), *sorted({n for g in walk(node) if kind(g) == "Global" for n in g.names})]
    return Body(start, end, first, " ".join(says))


def is_docstring(statement: Any) -> bool:
    """Whether a first statement is the docstring."""
    value = statement.value if kind(statement) == "Expr" else None
    return kind(value) == "Constant" and isinstance(getattr(value, "value", None), str)


def _start(statement: Any) -> int:
    lines = [statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))]
    return int(min(lines))


def _of_head(node: Any) -> Iterator[Any]:
    given = node.args
    plain = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    return (one for one in (*plain, *given.defaults, *given.kw_defaults, node.returns) if one is not None)


def _yields(function: Any) -> bool:
    """Whether calling it makes a generator."""
    stack = [function]
    while stack:
        for node in children(stack.pop()):
            if kind(node) in ("Yield", "YieldFrom"):
                return True
            if kind(node) not in _SCOPES:
                stack.append(node)
    return False
