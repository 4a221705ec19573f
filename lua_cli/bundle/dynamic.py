"""Imports that only a run can resolve. In: the expression, `include-modules`. Out: whether they are named there."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from lua_cli.source import ModuleLocation


def covered(expression: str, location: ModuleLocation, include_modules: Iterable[str]) -> bool:
    """Whether `include-modules` names what `import_module(expression)` may import, as far as it can be told: a module
    below the expression's literal beginning; any module, where the expression has none."""
    prefix = literal_beginning(expression)
    package = location.dotted if location.is_package else location.dotted.rpartition(".")[0]
    if prefix.startswith("."):
        prefix = f"{package}{prefix}"
    return any(name.startswith(prefix) for name in include_modules)


def literal_beginning(expression: str) -> str:
    """`f"plugins.{name}"` → "plugins.", `"plugins." + name` → "plugins.", `name` → ""."""
    node: ast.AST = ast.parse(expression, mode="eval").body
    while True:
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod()):
                node = left
            case ast.JoinedStr(values=[first, *_]):
                node = first
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
                return text.partition("{")[0]
            case _:
                return ""
