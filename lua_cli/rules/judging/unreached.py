"""Tool classes in files that nothing imports: written, and forgotten. In: the context. Out: their names and places.

Looked for beside the registered tools alone: in the folders that hold their modules, and not in tests. A file is read,
not run, and a class counts when one of its bases has the name of `LuaTool`, or of a tool class of the project, and it
says its own `name`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lua_cli.diagnostics import Place
from lua_cli.rules.judging.context import Context, short
from lua_cli.source import ir
from lua_cli.source.spans import Span

_TOOL = "LuaTool"


class Unreached(NamedTuple):
    name: str
    place: Place


def unreached_tools(context: Context) -> Iterator[Unreached]:
    """Each class, file by file."""
    classes = context.analysis.classes
    bases = {_TOOL, *(short(dotted) for dotted, info in classes.items() if info.is_tool)}
    for path in _files(context):
        text = context.glance(path)
        if any(base in text for base in bases):
            for name, span in _classes(text, bases):
                yield Unreached(name, context.index.place(context.project.root / path, span))


def _files(context: Context) -> Iterator[str]:
    """The Python files beside the modules of registered tools that are no modules of the project, in order."""
    modules = (context.analysis.modules.get(tool.info.module) for tool in context.tool_classes)
    folders = {Path(path).parent for path in modules if path is not None and not Path(path).is_absolute()}
    for folder in sorted(folders):
        for path in sorted((context.project.root / folder).glob("*.py")):
            shown = context.project.relative(path)
            if shown not in context.own_paths and not _is_test(path.name) and path.is_file():
                yield shown


def _is_test(name: str) -> bool:
    return name.startswith("test_") or name.endswith("_test.py") or name in ("conftest.py", "setup.py")


def _classes(text: str, bases: set[str]) -> Iterator[tuple[str, Span]]:
    from lua_cli.source.lowering import lower
    from lua_cli.source.parsing import ParseError, parse

    try:
        body = lower(parse(text), text).body
    except ParseError:
        return  # nobody imports it
    for node in body:
        if isinstance(node, ir.Class) and not node.name.startswith("_"):
            named = {_last(base.value) for base in node.bases if not base.keyword}
            if named & bases and any(_says_name(statement) for statement in node.body):
                yield node.name, node.name_span


def _last(base: ir.Expr) -> str:
    """`LuaTool` of `lua_cli.LuaTool[Query]`."""
    if isinstance(base, ir.Subscript):
        base = base.value
    return base.attr if isinstance(base, ir.Attr) else base.id if isinstance(base, ir.Name) else ""


def _says_name(statement: ir.Stmt) -> bool:
    match statement:
        case ir.Assign(targets=(ir.Name(id="name"),), value=ir.Const(value=str())):
            return True
        case ir.Annotate(target=ir.Name(id="name"), value=ir.Const(value=str())):
            return True
    return False
