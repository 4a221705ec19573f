"""A list, dict or set of a tool class is shared by every call and every subclass.

The class is built once and its instance reused, so what one call appends is there in the next one, for another user. A
list in the body of a base is even one list for all tools that derive from it. Reported are empty lists, dicts and sets,
which ask to be filled, and others that a method changes; tuples, frozensets and constants in capitals that nobody
changes are fine.

What to do: make it in `execute`, or in `__init__` when it is a cache that may be shared. For a constant, use a tuple or
`frozenset`.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query
    seen = []

    def execute(self, input: Query) -> list[str]:
        self.seen.append(input.text)
        return self.seen
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        seen = []
        seen.append(input.text)
        return seen
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import ClassInfo
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short
from lua_cli.rules.judging.toplevel import TopLevel
from lua_cli.source import ir

CODE: Final = "lua/mutable-class-attribute"
SEVERITY: Final = "warning"

_MEANT = frozenset({"input_schema", "voice_flags", "model_config"})
_MAKERS = frozenset({"list", "dict", "set", "collections.defaultdict", "collections.deque", "collections.Counter"})
_CHANGES = r"(?:append|extend|insert|add|update|setdefault|pop|popitem|clear|remove|discard|appendleft|sort|reverse)"


def check(context: Context) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for tool in context.tool_classes:
        mro = tool.info.mro or ()
        if any(dotted.startswith("pydantic.") for dotted in mro):
            continue  # a model copies its defaults for each instance
        for dotted in mro:
            info = context.analysis.classes.get(dotted)
            own = info is not None and info.module in context.analysis.modules
            if info is not None and own and dotted not in seen and info.changeable:
                seen.add(dotted)
                yield from _in_class(
                    context, info, [context.analysis.classes[one] for one in mro if one in context.analysis.classes]
                )


def _in_class(context: Context, info: ClassInfo, family: list[ClassInfo]) -> Iterator[Diagnostic]:
    module = context.top_level(info.module)
    node = _class(module, info) if module else None
    for statement in node.body if node else ():
        name, value = _assigned(statement)
        if module is None or name not in info.changeable or value is None or name in _MEANT or name.startswith("__"):
            continue
        empty = _is_mutable(value, module)
        if empty is None or not ((empty and not name.isupper()) or _changed(context, name, family)):
            continue
        yield Diagnostic(
            CODE,
            SEVERITY,
            f"`{name}` of {short(info.dotted)} is {_kind(value)} that all calls and all subclasses share",
            context.place(info.module, value.span),
            help="make it in `execute`, or in `__init__` when it may be shared",
        )


def _class(module: TopLevel, info: ClassInfo) -> ir.Class | None:
    body, found = module.body, None
    for name in info.qualname.split("."):
        found = next((node for node in reversed(body) if isinstance(node, ir.Class) and node.name == name), None)
        if found is None:
            return None
        body = found.body
    return found


def _assigned(statement: ir.Stmt) -> tuple[str | None, ir.Expr | None]:
    match statement:
        case ir.Assign(targets=(ir.Name(id=name),), value=value):
            return name, value
        case ir.Annotate(target=ir.Name(id=name), value=value):
            return name, value
    return None, None


def _is_mutable(value: ir.Expr, module: TopLevel) -> bool | None:
    """Whether it is empty; None for a value that cannot be changed, or that is not known."""
    match value:
        case ir.Display(kind="list" | "set", items=items):
            return not items
        case ir.DictDisplay(items=pairs):
            return not pairs
        case ir.Call(func=func, args=args) if module.meaning(func) in _MAKERS:
            return not args or module.meaning(func) == "collections.defaultdict"
    return None


def _kind(value: ir.Expr) -> str:
    match value:
        case ir.Display(kind=kind):
            return f"a {kind}"
        case ir.DictDisplay():
            return "a dict"
    return "one object"


def _changed(context: Context, name: str, family: list[ClassInfo]) -> bool:
    """Whether a method of the class or its relatives changes it in place."""
    owner = r"(?:self|cls|type\(self\)|self\.__class__)"
    change = re.compile(rf"\b{owner}\.{re.escape(name)}(?:\.{_CHANGES}\(|\[[^\]\n]*\]\s*[-+|*/]?=(?!=)|\s*[+|&-]=)")
    for info in family:
        if info.module in context.analysis.modules:
            lines = context.text(info.statement.path).split("\n")
            if change.search("\n".join(lines[info.statement.line - 1 : info.statement.end_line])):
                return True
    return False
