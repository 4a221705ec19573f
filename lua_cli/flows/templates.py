"""Texts with expressions. In: a text. Out: a `Template`, or a `TemplateError` with line and column.

`{{ CEL }}` is an expression; braces and quotes inside of it are its own. Between `{{raw}}` and `{{endraw}}` everything
is text. Renders nothing: runtime/flows/ does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lua_cli.flows.cel import CelError, Expression, compile_cel
from lua_cli.flows.model import Template

_RAW, _END = re.compile(r"\{\{\s*raw\s*\}\}\n?"), re.compile(r"\{\{\s*endraw\s*\}\}\n?")
_TOKEN = re.compile(
    r"""(?s)[rRbB]{0,2}("{3}.*?"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|[{}]|[^{}"'rRbB]+|."""
)
_BODY = re.compile(r"(?<![\w.\"'])body\b")


class TemplateError(Exception):
    """A text that is no template. Line and column count from 1, in the text."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


class Piece(NamedTuple):
    """Text from `start` to `stop`: an expression, or text as it is."""

    start: int
    stop: int
    expression: bool


def parse_template(text: str) -> Template:
    """The parts of a text. Raises TemplateError."""
    parts = [
        _compiled(text, one.start, one.stop) if one.expression else text[one.start : one.stop] for one in _pieces(text)
    ]
    return Template(tuple(part for part in parts if part != ""))


def expressions_at(text: str) -> list[int]:
    """Where the expressions of a template begin, in order. Raises TemplateError."""
    return [one.start + _lead(text[one.start : one.stop]) for one in _pieces(text) if one.expression]


def reads_body(text: str) -> tuple[int, int] | None:
    """Line and column of the first expression that reads `body`; None without one. Raises TemplateError."""
    for one in _pieces(text):
        found = _BODY.search(text, one.start, one.stop) if one.expression else None
        if found:
            return _place(text, found.start())
    return None


def _pieces(text: str) -> Iterator[Piece]:
    position = 0
    while (start := text.find("{{", position)) >= 0:
        yield Piece(position, start, expression=False)
        raw = _RAW.match(text, start)
        if raw:
            end = _END.search(text, raw.end())
            if end is None:
                raise TemplateError("{{raw}} has no {{endraw}}", *_place(text, start))
            yield Piece(raw.end(), end.start(), expression=False)
            position = end.end()
            continue
        stop = _closing(text, start + 2)
        yield Piece(start + 2, stop, expression=True)
        position = stop + 2
    yield Piece(position, len(text), expression=False)


def _closing(text: str, start: int) -> int:
    """Where the `}}` stands that ends the expression from `start`."""
    depth, position = 0, start
    while position < len(text):
        if depth == 0 and text.startswith("}}", position):
            return position
        token = _TOKEN.match(text, position)
        if token is None:
            break
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        position = token.end()
    hint = "close it with }}, or write {{raw}} … {{endraw}} around braces that are text"
    raise TemplateError(f"{{{{ has no end: {hint}", *_place(text, start - 2))


def _compiled(text: str, start: int, stop: int) -> Expression:
    source = text[start:stop]
    line, column = _place(text, start + _lead(source))
    try:
        return compile_cel(source.strip())
    except CelError as error:
        if error.line > 1:
            line, column = line + error.line - 1, error.column
        elif error.line:
            column += error.column - 1
        raise TemplateError(error.message, line, column) from None


def _lead(source: str) -> int:
    return len(source) - len(source.lstrip())


def _place(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
