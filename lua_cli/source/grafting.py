"""Two readings of the same statements, brought together: are they equal, and where does each part of the second stand?

In: facts that libcst gave (without places) and those that `ast` gave (with). Out: whether they say the same, and the
first with the places of the second. Also the text that libcst gets: whole statements without the bodies of functions.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from lua_cli.source import ir
from lua_cli.source.lowering import NOT_READ
from lua_cli.source.spans import Span

_T = TypeVar("_T")
_PLACED = ("span", "name_span", "rebinds", "body_start")  # what only `ast` knows
MAX_TEXT = 200_000  # libcst's parser is slow on hostile text; what is longer is read by `ast` alone


def equal(one: Any, other: Any) -> bool:
    """Whether two readings say the same; places apart."""
    stack: list[tuple[Any, Any]] = [(one, other)]
    while stack:
        left, right = stack.pop()
        if type(left) is not type(right):
            return False
        if not isinstance(left, tuple):
            if left != right and not (left != left and right != right):  # a NaN is equal to itself here
                return False
            continue
        if len(left) != len(right):
            return False
        for name, (a, b) in zip(_names(left), zip(left, right, strict=True), strict=True):
            if name == "annotation" and isinstance(left, ir.Parameter):
                if (a is None) is not (b is None):
                    return False
            elif name not in _PLACED:
                stack.append((a, b))
    return True


def grafted(read: Any, placed: Any, span: Span) -> Any:
    """`read` with the places of `placed` where both have the same shape, and with `span` elsewhere."""
    if not isinstance(read, tuple):
        return read
    alike = type(read) is type(placed) and len(read) == len(placed)
    here = placed.span if alike and hasattr(placed, "span") else span
    parts: list[Any] = []
    for at, (name, part) in enumerate(zip(_names(read), read, strict=True)):
        other = placed[at] if alike else None
        if name in _PLACED:
            parts.append(other if alike else here if name.endswith("span") else part)
        elif name == "annotation" and isinstance(read, ir.Parameter):
            parts.append(None if part is None else other or here)
        else:
            parts.append(grafted(part, other, here))
    return type(read)(*parts) if hasattr(read, "_fields") else tuple(parts)


def _names(node: tuple[Any, ...]) -> Sequence[str]:
    return getattr(node, "_fields", None) or ("",) * len(node)


def is_fit(statement: ir.Stmt, length: int) -> bool:
    """Whether libcst should be given a statement: not what is nested so deeply that `ast`'s reading is cut off too."""
    return length <= MAX_TEXT and not any(one.what == NOT_READ for one in nodes(statement, ir.Opaque))


def nodes(statement: Any, kind: type[_T]) -> Iterator[_T]:
    """The nodes of a kind in a statement, itself included."""
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, kind):
            yield node
        # Spans hold no nodes.
        stack += [part for part in node if isinstance(part, tuple) and part and type(part[0]) is not int]


def pruned(statement: ir.Stmt, lines: Sequence[str]) -> str:
    """The text of a statement of a module's top level, its functions' bodies replaced by `...`."""
    decorators = getattr(statement, "decorators", ())
    first = min([statement.span[0], *(decorator.span[0] for decorator in decorators)])
    column = 0 if decorators else statement.span[1]
    functions = sorted(nodes(statement, ir.Function), key=lambda function: function.span)
    out: list[str] = []
    at = (first, column)
    for function in functions:
        if function.body_start < at:
            continue  # inside of a function that is cut already
        out.append(_between(lines, at, function.body_start))
        out.append("...")
        at = (function.span[2], function.span[3])
    out.append(_between(lines, at, (statement.span[2], statement.span[3])))
    return "".join(out)


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text between two positions, columns in bytes."""
    if start >= end:
        return ""
    (first, column), (last, end_column) = start, end
    if first == last:
        return lines[first - 1].encode()[column:end_column].decode("utf-8", "replace")
    head = lines[first - 1].encode()[column:].decode("utf-8", "replace")
    tail = lines[last - 1].encode()[:end_column].decode("utf-8", "replace")
    return "\n".join([head, *lines[first : last - 1], tail])
