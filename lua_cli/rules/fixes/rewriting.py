"""New source text for the fixes that rules propose. In: source text. Out: source text, or None where it cannot be done
right.

libcst does the rewriting, so that quotes, prefixes and spacing stay as the author has them; it is imported when a fix
is made, and fed with the expression alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst


def called(expression: str) -> str | None:
    """`tools.SearchDocs` → `tools.SearchDocs()`; None for anything but a plain or dotted name."""
    import libcst

    node = _parsed(expression)
    parts = node
    while isinstance(parts, libcst.Attribute):
        parts = parts.value
    return _code(libcst.Call(func=node)) if isinstance(parts, libcst.Name) and node is not None else None


def with_string(expression: str, old: str, new: str) -> str | None:
    """The string literal `expression`, which says `old`, saying `new`; None for anything but one literal."""
    import libcst

    node = _parsed(expression)
    if not isinstance(node, libcst.SimpleString) or node.evaluated_value != old:
        return None
    return _code(node.with_changes(value=f"{node.prefix}{node.quote}{new}{node.quote}"))


def calling(call: str, callee: str) -> str | None:
    """The call expression `call` with `callee` in its place and no arguments; None for anything but a call."""
    import libcst

    node = _parsed(call)
    if not isinstance(node, libcst.Call):
        return None
    bare = node.with_changes(func=libcst.Name(callee), args=[], whitespace_before_args=libcst.SimpleWhitespace(""))
    return _code(bare)


def _parsed(expression: str) -> libcst.BaseExpression | None:
    import libcst

    try:
        return libcst.parse_expression(expression)
    except libcst.ParserSyntaxError:
        return None


def _code(node: libcst.BaseExpression) -> str:
    import libcst

    return libcst.Module([]).code_for_node(node)
