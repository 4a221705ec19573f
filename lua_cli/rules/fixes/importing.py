"""For the fix that adds a missing import: where a name is defined, and where the import goes.

In: a name and the project; the statements of a module. Out: modules; a line. Looks at files only when there is such a
name to find.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from lua_cli.project import Project
from lua_cli.source import ir
from lua_cli.source.finder import Finder

_MOST_FILES = 5_000
_NOT_LOOKED_INTO = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "build", "dist"})


def modules_that_define(name: str, project: Project, finder: Finder) -> Iterator[str]:
    """The modules of the project whose top level has `class NAME` or `NAME = LuaSkill(…)`."""
    escaped = re.escape(name)
    definition = re.compile(rf"^(?:class {escaped}\b|{escaped}\s*(?::[^=\n]+)?=\s*[\w.]*LuaSkill\()", re.MULTILINE)
    for count, path in enumerate(_sources(project.root)):
        if count >= _MOST_FILES:
            return
        try:
            found = definition.search(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
        dotted = finder.module_of(path) if found else None
        if dotted:
            yield dotted


def line_after_imports(body: tuple[ir.Stmt, ...]) -> int:
    """The line before which a further import belongs: after the leading imports, else after the docstring."""
    line = 1
    for position, statement in enumerate(body):
        docstring = position == 0 and isinstance(statement, ir.Do) and isinstance(statement.value, ir.Const)
        if not docstring and not isinstance(statement, ir.Import | ir.FromImport):
            break
        line = statement.span[2] + 1
    return line


def _sources(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_LOOKED_INTO)
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(".py"))
