"""The part of a module that runs when it is imported, for rules that look at code. In: a source. Out: its nodes, and
what names mean.

Names are followed through the module's own imports alone: `import os as o; o.system` is `os.system`. A name that the
module binds otherwise means nothing here, so that a rule stays silent rather than guesses.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lua_cli.diagnostics import Place

_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class TopLevel:
    """names: what the module's imports bind, and "" for what it binds otherwise."""

    path: str
    lines: list[str]
    tree: ast.Module
    names: Mapping[str, str]

    @classmethod
    def read(cls, path: str, text: str) -> TopLevel | None:
        """None for a source that does not parse: another diagnostic says so."""
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        return cls(path, text.split("\n"), tree, _bindings(tree))

    def nodes(self) -> Iterator[ast.AST]:
        """Every node that runs at import, in the order of the source: no bodies of functions, no `__main__` block."""
        pending: list[ast.AST] = list(reversed(self.tree.body))
        while pending:
            node = pending.pop()
            if isinstance(node, ast.If) and _for_people(node.test):
                pending += reversed(node.orelse)
                continue
            yield node
            children = list(ast.iter_child_nodes(node))
            if isinstance(node, _LATER):
                body = node.body if isinstance(node.body, list) else [node.body]
                children = [child for child in children if child not in body]
            pending += reversed(children)

    def dotted(self, node: ast.AST) -> str | None:
        """What a name means: `os.system` for `o.system`; a builtin's name; None when the module's imports do not
        say."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        origin = self.names.get(node.id, node.id if node.id in _BUILTINS else "")
        return ".".join((origin, *reversed(parts))) if origin else None

    def place(self, node: ast.AST) -> Place:
        """Where a node stands, in characters."""
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end_line, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return Place(self.path, line, self._column(line, column), end_line, self._column(end_line, end_column))

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1]
        return offset + 1 if text.isascii() else len(text.encode("utf-8")[:offset].decode("utf-8", "ignore")) + 1


def _bindings(tree: ast.Module) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                names[name] = alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.setdefault(node.name, "")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, "")
    return names


def _for_people(test: ast.expr) -> bool:
    """`__name__ == "__main__"`, or `TYPE_CHECKING`: not run by an import."""
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__":
        return isinstance(test.ops[0], ast.Eq)
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
