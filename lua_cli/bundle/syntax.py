"""Syntax that is newer than the oldest Python that the project says it runs on. In: sources, `requires-python`. Out:
where and what. As far as Python's own parser knows what came when (not of f-strings).
"""

from __future__ import annotations

import ast
import sys
import warnings
from typing import NamedTuple


class Newer(NamedTuple):
    """A place in a source, and what stands there: "Type parameter lists are only supported in Python 3.12 and
    greater".
    """

    line: int
    column: int
    reason: str


def oldest_python(requires_python: str) -> tuple[int, int] | None:
    """The oldest Python that `requires-python` allows, when that is older than the one that runs; else None."""
    if not requires_python:
        return None
    from lua_cli.bundle.targets import Targets

    oldest = (3, min(minor for minor, _ in Targets(requires_python).versions))
    return oldest if oldest < sys.version_info[:2] else None


def newer_syntax(source: bytes, oldest: tuple[int, int]) -> Newer | None:
    """The first thing in `source` that `oldest` cannot read; None for a source that is no Python at all."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source, feature_version=oldest)
    except SyntaxError as error:
        if "only supported in Python" in error.msg:
            return Newer(*_statement_at(source, error.lineno or 1, error.offset or 1), error.msg)
    except ValueError:
        return None
    return None


_STATEMENTS = ("Match", "TryStar", "TypeAlias")


def _statement_at(source: bytes, line: int, column: int) -> tuple[int, int]:
    """Where the statement begins that the parser gave up at the end of; the place itself without one."""
    holders = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt)
        and (type(node).__name__ in _STATEMENTS or getattr(node, "type_params", None))
        and node.lineno <= line <= (node.end_lineno or line)
    ]
    innermost = max(holders, key=lambda node: node.lineno, default=None)
    return (innermost.lineno, innermost.col_offset + 1) if innermost is not None else (line, column)
