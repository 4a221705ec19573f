"""A tool class has an attribute or a method whose name is nearly one that LuaTool, or a base of the project, knows.

Python takes any name in a class body. `conditon` is no condition: the tool is offered in every turn, and nothing says
so. The same holds for `decription`, `voice_flag`, `inputSchema` and `exceute`, and for `endpiont` in a subclass of a
base that reads `endpoint`: the subclass works with the base's value.

A name that the project reads somewhere is one of its own, and nothing is said of it.

What to do: write the name that is meant: `name`, `description`, `input_schema`, `voice_flags`, `condition`, `execute`,
or that of the base.

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

    def conditon(self) -> bool:
        return False

    def execute(self, input: Query) -> list[str]:
        return []
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

    def condition(self) -> bool:
        return False

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import ClassInfo
from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.rules.judging.context import Context, short
from lua_cli.rules.judging.nearness import meant

CODE: Final = "lua/misspelt-attribute"
SEVERITY: Final = "warning"

KNOWN = ("name", "description", "input_schema", "voice_flags", "condition", "execute")
_SDK = "lua_cli."


def check(context: Context) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for tool in context.tool_classes:
        chain = [context.analysis.classes[one] for one in tool.info.mro or () if one in context.analysis.classes]
        for info in chain:
            if info.dotted not in seen and context.is_own(info.place):
                seen.add(info.dotted)
                yield from _in_class(context, info, chain)


def _in_class(context: Context, info: ClassInfo, chain: list[ClassInfo]) -> Iterator[Diagnostic]:
    of_bases = _names_of_bases(context, info)
    for name, place in info.members.items():
        if name.startswith("_") or name in KNOWN or name in of_bases or not context.is_own(place):
            continue
        known = meant(name, KNOWN) or meant(name, tuple(of_bases))
        if known is None or known in info.members or known in info.annotated:
            continue
        if _is_asked_for(context, name, chain) or _is_read(context, name, chain):
            continue
        whose = "LuaTool knows no such name" if known in KNOWN else f"its base {of_bases[known]} has `{known}`"
        message = f"`{name}` of {short(info.dotted)} is read nowhere, and {whose}"
        yield Diagnostic(CODE, SEVERITY, message, _named(context, name, place), help=f"did you mean `{known}`?")


def _names_of_bases(context: Context, info: ClassInfo) -> dict[str, str]:
    """What the project's own bases of a class bind or annotate, and which of them: what a subclass overrides."""
    out: dict[str, str] = {}
    for dotted in (info.mro or ())[1:]:
        base = context.analysis.classes.get(dotted)
        if base is not None and context.is_own(base.place):
            for name in (*base.members, *base.annotated):
                if not name.startswith("_"):
                    out.setdefault(name, short(dotted))
    return out


def _named(context: Context, name: str, place: Place) -> Place:
    """The place of the name: that of an assignment is its value's."""
    lines = context.text(place.path).split("\n")
    before = lines[place.line - 1][: place.column - 1] if place.line <= len(lines) else ""
    at = before.rfind(name)
    if at < 0:
        return place
    return Place(place.path, place.line, at + 1, place.line, at + 1 + len(name))


def _is_asked_for(context: Context, name: str, chain: list[ClassInfo]) -> bool:
    """Whether a class of a package has the name: what it does with it is its own affair."""
    return any(name in (*info.members, *info.annotated) for info in chain if not context.is_own(info.place))


def _is_read(context: Context, name: str, chain: list[ClassInfo]) -> bool:
    """Whether any source says the name where it does not bind it: an attribute, a text, an argument."""
    others = {one.place.path for one in chain if not context.is_own(one.place) and not one.module.startswith(_SDK)}
    return any(_says(context.text(path), name) for path in sorted(context.own_paths | others))


def _says(text: str, name: str) -> bool:
    if name not in text:
        return False
    binding = re.compile(rf"\s*(?:(?:async\s+)?def\s+)?{re.escape(name)}\s*(?:\(|:|=(?!=))")
    word = re.compile(rf"\b{re.escape(name)}\b")
    for line in text.split("\n"):
        bound = binding.match(line)
        if word.search(line, bound.end() if bound else 0):
            return True
    return False
