"""Spans: where something stands in its file, as `ast` counts, and as people do. Pure.

A `Span` is (line, column, end line, end column): lines from 1, columns in UTF-8 bytes from 0. It stays that way inside
facts; only what is shown is converted, because most spans never are.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from lua_cli.diagnostics import Place

Span: TypeAlias = tuple[int, int, int, int]


def span_of(node: ast.AST) -> Span:
    """The span of a node that has one."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def place_of(path: str, span: Span, lines: Sequence[str]) -> Place:
    """The place to show for a span in the file that has these lines."""
    from lua_cli.diagnostics import Place  # whoever looks at spans alone has no use for it

    return Place(path, *shown_span(span, lines))


def shown_span(span: Span, lines: Sequence[str]) -> Span:
    """A span with its columns as people count them: in characters, from 1."""
    line, column, end_line, end_column = span
    return line, _characters(lines, line, column), end_line, _characters(lines, end_line, end_column)


def _characters(lines: Sequence[str], line: int, column: int) -> int:
    if not 0 < line <= len(lines):
        return column + 1
    text = lines[line - 1]
    if text.isascii():
        return column + 1
    return len(text.encode("utf-8")[:column].decode("utf-8", "ignore")) + 1
