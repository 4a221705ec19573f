"""The part of a module that runs when it is imported, for rules that look at code. In: a module's facts. Out: its
nodes, and what names mean.

Names are followed through the module's own imports alone: after `import os as o`, `o.system` is `os.system`. A name
that the module binds otherwise means nothing here, so that a rule stays silent rather than guesses.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping

from lua_cli.records import record
from lua_cli.source import ir

_BUILTINS = frozenset(dir(builtins))


@record(frozen=True)
class TopLevel:
    """names: what the module's imports bind, and "" for what it binds otherwise."""

    dotted: str
    body: tuple[ir.Stmt, ...]
    names: Mapping[str, str]

    @classmethod
    def of(cls, dotted: str, facts: ir.ModuleFacts, *, is_package: bool) -> TopLevel:
        package = dotted if is_package else dotted.rpartition(".")[0]
        return cls(dotted, facts.body, _bindings(facts.body, package))

    def nodes(self) -> Iterator[ir.Node]:
        """Every node that runs at import, in the order of the source: no bodies of functions, no `__main__` block."""
        yield from _walk(self.body)

    def meaning(self, node: ir.Expr) -> str | None:
        """What a name means: `os.system` for `o.system`; a builtin's name; None when the module's imports do not
        say."""
        parts: list[str] = []
        while isinstance(node, ir.Attr):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ir.Name):
            return None
        origin = self.names.get(node.id, node.id if node.id in _BUILTINS else "")
        return ".".join((origin, *reversed(parts))) if origin else None


def _walk(body: tuple[object, ...]) -> Iterator[ir.Node]:
    pending: list[object] = list(reversed(body))
    while pending:
        node = pending.pop()
        if isinstance(node, ir.If):
            pending += reversed(node.orelse)
            for test, branch in reversed(node.branches):
                if not _not_at_import(test):
                    pending += [*reversed(branch), test]
            continue
        if not isinstance(node, tuple):
            continue
        if hasattr(node, "_fields"):
            yield node  # type: ignore[misc]
        children = (node.params,) if isinstance(node, ir.Lambda) else node
        pending += reversed([child for child in children if isinstance(child, tuple)])


def _bindings(body: tuple[ir.Stmt, ...], package: str) -> dict[str, str]:
    names: dict[str, str] = {}
    pending: list[ir.Stmt] = list(reversed(body))
    while pending:
        node = pending.pop()
        match node:
            case ir.Import(dotted=dotted, asname=asname):
                name = asname or dotted.partition(".")[0]
                names[name] = dotted if asname else name
            case ir.FromImport(level=level, module=module, names=imported):
                parts = package.split(".") if package else []
                base = ".".join(parts[: len(parts) - level + 1] + ([module] if module else [])) if level else module
                names.update({one.asname or one.name: f"{base}.{one.name}" for one in imported})
            case ir.Class(name=name) | ir.Function(name=name):
                names.setdefault(name, "")
            case ir.Assign(targets=targets):
                for target in targets:
                    if isinstance(target, ir.Name):
                        names.setdefault(target.id, "")
            case _:
                pending += reversed(list(_nested(node)))
    return names


def _nested(node: ir.Stmt) -> Iterator[ir.Stmt]:
    """The statements in a compound statement of the same scope."""
    match node:
        case ir.If(branches=branches, orelse=orelse):
            for test, branch in branches:
                if not _not_at_import(test):
                    yield from branch
            yield from orelse
        case ir.Try(body=body, handlers=handlers, orelse=orelse, final=final):
            yield from body
            for handler in handlers:
                yield from handler.body
            yield from (*orelse, *final)
        case ir.For(body=body, orelse=orelse) | ir.While(body=body, orelse=orelse):
            yield from (*body, *orelse)
        case ir.With(body=body):
            yield from body


def _not_at_import(test: ir.Expr) -> bool:
    """`__name__ == "__main__"`, or `TYPE_CHECKING`: such a branch does not run."""
    if isinstance(test, ir.Comparison) and isinstance(test.left, ir.Name) and test.left.id == "__name__":
        return test.ops == ("==",)
    last = test.attr if isinstance(test, ir.Attr) else test.id if isinstance(test, ir.Name) else ""
    return last == "TYPE_CHECKING"
