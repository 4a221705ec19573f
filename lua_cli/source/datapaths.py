"""Paths beside a module, read off its syntax tree: `Path(__file__).parent / "x"` and its relatives. Pure; touches no
file system.

In: a tree and the dotted names of what it imports. Out: for an expression, the path it stands for (relative to the
module's folder, or in a package), when it is made of literals alone.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Mapping
from typing import NamedTuple

_KEEP = frozenset({"resolve", "absolute", "expanduser", "as_posix", "__str__", "__fspath__"})
_SAME = frozenset({"os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "str", "os.fsdecode"})
_PATH = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})
_FILES = frozenset({"importlib.resources.files", "importlib_resources.files"})
_RESOURCE = frozenset({"read_text", "read_binary", "open_text", "open_binary", "path", "is_resource"})
_MAX_DEPTH = 60


class DataPath(NamedTuple):
    """`parts` from the module's own file (`from_file`), its folder, or a package; ".." goes up. `named` has a literal
    part."""

    parts: tuple[str, ...]
    package: str | None = None
    from_file: bool = False
    named: bool = False

    def target(self) -> str | None:
        """The path as facts carry it; None for the folder or the module itself."""
        if not self.named:
            return None
        target = posixpath.normpath("/".join(self.parts))
        return None if target == "." or target.startswith("/") else target

    def up(self) -> DataPath:
        if self.from_file:
            return DataPath((), self.package)
        return DataPath((*self.parts, ".."), self.package, named=self.named)

    def down(self, *parts: str) -> DataPath:
        return DataPath((*self.parts, *parts), self.package, named=True)


class DataPaths:
    """The paths of one module. `names`: the variables that hold one."""

    def __init__(self, tree: ast.Module, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases
        self._variables: dict[str, DataPath] = {}
        self._no_paths: set[int] = set()
        self._gather(tree.body)
        self._no_paths.clear()  # a variable may be bound below its first use
        self.names = frozenset(self._variables)

    def path(self, node: ast.AST, depth: int = 0) -> DataPath | None:
        """The path that an expression stands for, None when it is none or not made of literals."""
        if depth > _MAX_DEPTH or id(node) in self._no_paths:
            return None
        found = self._path(node, depth)
        if found is None:
            self._no_paths.add(id(node))  # asked again for every part of a chain
        return found

    def _path(self, node: ast.AST, depth: int) -> DataPath | None:
        match node:
            case ast.Name(id="__file__"):
                return DataPath((), from_file=True)
            case ast.Name(id=name):
                return self._variables.get(name)
            case ast.Attribute(value=value, attr="parent"):
                found = self.path(value, depth + 1)
                return found.up() if found else None
            case ast.Subscript(value=ast.Attribute(value=value, attr="parents"), slice=ast.Constant(value=int(steps))):
                found = self.path(value, depth + 1)
                for _ in range(min(max(steps, 0), 30) + 1):
                    found = found.up() if found else None
                return found
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._joined(self.path(left, depth + 1), [right])
            case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=str(text))):
                found = self.path(left, depth + 1)
                return found.down(text.lstrip("/")) if found and not found.from_file and text.startswith("/") else None
            case ast.JoinedStr(values=[ast.FormattedValue(value=value), ast.Constant(value=str(text))]):
                found = self.path(value, depth + 1)
                return found.down(text.lstrip("/")) if found and not found.from_file and text.startswith("/") else None
            case ast.Call():
                return self._call(node, depth + 1)
        return None

    def _call(self, node: ast.Call, depth: int) -> DataPath | None:
        called = self._dotted(node.func)
        if called in _SAME | _PATH | {"os.path.dirname"} and len(node.args) == 1:
            found = self.path(node.args[0], depth)
            return found.up() if found and called == "os.path.dirname" else found
        if called in _PATH | {"os.path.join"} and node.args:
            return self._joined(self.path(node.args[0], depth), node.args[1:])
        if called in _FILES and len(node.args) == 1:
            package = self._package(node.args[0])
            return DataPath((), package) if package is not None else None
        owner, _, last = (called or "").rpartition(".")
        if (owner == "importlib.resources" and last in _RESOURCE) or called == "pkgutil.get_data":
            package = self._package(node.args[0]) if len(node.args) > 1 else None
            return self._joined(DataPath((), package), node.args[1:2]) if package is not None else None
        if isinstance(node.func, ast.Attribute):
            found = self.path(node.func.value, depth)
            if found and node.func.attr in _KEEP:
                return found
            if found and node.func.attr == "joinpath":
                return self._joined(found, node.args)
            if found and node.func.attr == "with_name":
                return self._joined(found.up(), node.args)
        return None

    def _joined(self, found: DataPath | None, rest: list[ast.expr]) -> DataPath | None:
        if found is None or found.from_file:
            return None
        for part in rest:
            text = _literal(part)
            if not text or text.startswith("/"):
                return None
            found = found.down(text)
        return found

    def _package(self, node: ast.expr) -> str | None:
        match node:
            case ast.Constant(value=str(name)):
                return name
            case ast.Name(id="__package__" | "__name__" as name):
                return name
            case _:
                return self._dotted(node)

    def _dotted(self, node: ast.expr) -> str | None:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join([self._aliases.get(node.id, node.id), *reversed(parts)])

    def _gather(self, body: list[ast.stmt]) -> None:
        """Variables bound to a path: at the top level, and in branches and classes of it."""
        stack: list[ast.stmt] = list(reversed(body))
        while stack:
            statement = stack.pop()
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=value)
                ):
                    found = self.path(value) if value is not None else None
                    if found is not None:
                        self._variables[name] = found
                case ast.If() | ast.Try() | ast.With() | ast.ClassDef():
                    for part in ("orelse", "finalbody", "body"):
                        stack.extend(reversed(getattr(statement, part, ())))


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
