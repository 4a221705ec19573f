"""Text → syntax tree, or what is wrong with the text. In: text of a module. Out: `ast.Module`, or ParseError. Runs
nothing.

The parser is that of the Python that runs the CLI: syntax of a later one is an error here, and the message names the
version.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings

# What a failing line looks like when it was written for a later Python, and the first version that reads it.
_LATER = (
    (re.compile(r"\bclass\s+\w+\s*\[|\bdef\s+\w+\s*\[|^\s*type\s+\w+"), (3, 12), "type parameters"),
    (re.compile(r"\bf(['\"]).*\{.*\1.*\}"), (3, 12), "quotes of the same kind inside an f-string"),
    (re.compile(r"^\s*except\s+[\w.]+\s*,"), (3, 14), "`except A, B:` without parentheses"),
    (re.compile(r"\b[tT][rR]?['\"]"), (3, 14), "template strings"),
)


class ParseError(Exception):
    """The text is not Python. Positions count from 1, columns in characters; `needs` is the Python that would read it,
    or None."""

    def __init__(self, message: str, span: tuple[int, int, int, int], needs: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.needs = needs


def parse(text: str) -> ast.Module:
    """The tree of a module. Raises ParseError."""
    limit = sys.getrecursionlimit()
    try:
        with warnings.catch_warnings():  # an invalid escape in the user's string is for Python to warn of, not for us
            warnings.simplefilter("ignore")
            # The parser's own bound on nesting follows the recursion limit: the same for every caller, however deep it
            # stands.
            sys.setrecursionlimit(_depth() + 1000)
            return ast.parse(text)
    except SyntaxError as error:
        raise _explained(error, text) from error
    except (RecursionError, MemoryError) as error:
        raise ParseError("the code is nested too deeply for Python itself to compile", (1, 1, 1, 2)) from error
    except ValueError as error:
        raise ParseError(str(error), (1, 1, 1, 2)) from error
    finally:
        sys.setrecursionlimit(limit)


def _explained(error: SyntaxError, text: str) -> ParseError:
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = max(error.offset or 1, 1)
    end_line = max(error.end_lineno or line, line)
    end_column = max(error.end_offset or 0, column + 1) if end_line == line else max(error.end_offset or 1, 1)
    message = error.msg or "invalid syntax"
    span = (line, column, end_line, end_column)
    for pattern, version, what in _LATER:
        if version > sys.version_info[:2] and pattern.search(lines[line - 1]):
            here = f"{sys.version_info[0]}.{sys.version_info[1]}"
            needs = f"{version[0]}.{version[1]}"
            return ParseError(f"{what} need Python {needs} or newer, and lua-cli runs under {here}", span, version)
    return ParseError(message, span)


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
