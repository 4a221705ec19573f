"""Texts with expressions. In: a text. Out: a `Template`, or a `TemplateError` with line and column.

`{{ CEL }}` is an expression; braces and quotes inside of it are its own. Between `{{raw}}` and `{{endraw}}` everything
is text. Renders nothing: runtime/flows/ does.
"""

from __future__ import annotations

import re

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


def parse_template(text: str) -> Template:
    """The parts of a text. Raises TemplateError."""
    parts: list[str | Expression] = []
    position = 0
    while True:
        start = text.find("{{", position)
        if start < 0:
            parts.append(text[position:])
            return Template(tuple(part for part in parts if part != ""))
        parts.append(text[position:start])
        raw = _RAW.match(text, start)
        if raw:
            end = _END.search(text, raw.end())
            if end is None:
                raise TemplateError("{{raw}} has no {{endraw}}", *_place(text, start))
            parts.append(text[raw.end() : end.start()])
            position = end.end()
            continue
        stop = _closing(text, start + 2)
        parts.append(_compiled(text, start + 2, stop))
        position = stop + 2


def reads_body(text: str) -> tuple[int, int] | None:
    """Line and column of the first expression that reads `body`; None without one."""
    position = 0
    while (start := text.find("{{", position)) >= 0:
        raw = _RAW.match(text, start)
        if raw:
            end = _END.search(text, raw.end())
            position = end.end() if end else len(text)
            continue
        position = _closing(text, start + 2)
        found = _BODY.search(text, start, position)
        if found:
            return _place(text, found.start())
    return None


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
    lead = len(source) - len(source.lstrip())
    line, column = _place(text, start + lead)
    try:
        return compile_cel(source.strip())
    except CelError as error:
        if error.line > 1:
            line, column = line + error.line - 1, error.column
        elif error.line:
            column += error.column - 1
        raise TemplateError(error.message, line, column) from None


def _place(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
