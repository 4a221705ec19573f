"""Addresses and paths that only this machine has: `http://localhost:8000`, `/Users/me/out`,
`sqlite3.connect("crm.db")`.

In: a module's tree and text. Out: (kind, the text, where). Docstrings, and what stands below `if __name__ ==
"__main__":`, are no part of what a tool does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, Literal

from lua_cli.source.spans import Span, span_of

Kind = Literal["address", "path", "file"]

_HOST = r"(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|host\.docker\.internal|[\w-]+\.local)"
_ADDRESS: Final = rf"(?i)[A-Za-z][A-Za-z0-9+.-]*://(?:[^/@\s]*@)?{_HOST}(?=[:/?#]|$)"
_PATH: Final = r"(?:/Users/|/home/|/root/|/Volumes/|/private/|~/|[A-Za-z]:[\\/](?!/))[^\n{}]+$"
# What a text holds that has one of them: a part in lower case, and what must stand around it. The parts are looked for
# first, since a pattern that ignores case walks over every character of every file, and takes time to be made.
_HINTS: Final = (
    ("://", rf"://[^\s\"']*{_HOST}"),
    *((part, rf"[\"']{part}") for part in ("/users/", "/home/", "/root/", "/volumes/", "/private/", "~/")),
    *((f":{slash}", rf"[\"'][a-z]:{re.escape(slash)}") for slash in "\\/"),
    *((f"{name}(", rf"\b{name}\(") for name in ("connect", "open")),
    *((name, rf"\b{name}") for name in ("read_text", "read_bytes")),
)
_READS: Final = frozenset({"read_text", "read_bytes", "open"})
_WRITES: Final = frozenset("wxa+")


def is_local_address(text: str) -> bool:
    """Whether an address that only this machine has stands in a text."""
    return bool(re.search(_ADDRESS, text))


def local_things(tree: ast.Module, text: str) -> list[tuple[Kind, str, Span]]:
    """All of them, in the order of the source."""
    lowered = text.lower()
    if not any(part in lowered and re.search(pattern, lowered) for part, pattern in _HINTS):
        return []
    return sorted(_found(tree), key=lambda found: found[2])


def _found(tree: ast.Module) -> Iterator[tuple[Kind, str, Span]]:
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        match node:
            case ast.Expr(value=ast.Constant()):  # a docstring, or a comment of that form
                continue
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__")), orelse=orelse):
                stack.extend(orelse)
                continue
            case ast.Constant(value=str(text)):
                kind = _kind(text)
                if kind is not None:
                    yield kind, text, span_of(node)
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                kind = _kind(text)
                if kind is not None:
                    yield kind, text, span_of(node)
                stack.extend(child for child in node.values if not isinstance(child, ast.Constant))
                continue
            case ast.Call():
                name = _file_asked_for(node)
                if name is not None and isinstance(name.value, str) and _kind(name.value) is None:
                    yield "file", name.value, span_of(name)
        stack.extend(ast.iter_child_nodes(node))


def _kind(text: str) -> Kind | None:
    if re.match(_ADDRESS, text) and not re.search(r"\s", text):
        return "address"
    return "path" if len(text) < 300 and re.match(_PATH, text) else None


def _file_asked_for(call: ast.Call) -> ast.Constant | None:
    """The literal of `sqlite3.connect("crm.db")`, `open("rates.json")`, `Path("rates.json").read_text()`: a path from
    the
    working folder, which is an empty one in a run."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="sqlite3"), attr="connect"), args=[ast.Constant() as name, *_]
        ):
            return name if _is_relative(name.value) and not str(name.value).startswith((":memory:", "file:")) else None
        case ast.Call(func=ast.Name(id="open"), args=[ast.Constant() as name, *rest]):
            return name if _is_relative(name.value) and _only_reads(rest, call.keywords) else None
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Name(id="Path") | ast.Attribute(attr="Path"), args=[ast.Constant() as name], keywords=[]
                ),
                attr=method,
            )
        ) if method in _READS:
            reads = method != "open" or _only_reads(call.args, call.keywords)
            return name if _is_relative(name.value) and reads else None
    return None


def _is_relative(value: object) -> bool:
    return isinstance(value, str) and value != "" and not value.startswith(("/", "~")) and "\n" not in value


def _only_reads(rest: list[ast.expr], keywords: list[ast.keyword]) -> bool:
    mode = next((k.value for k in keywords if k.arg == "mode"), rest[0] if rest else None)
    if mode is None:
        return True
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not _WRITES & set(mode.value)
