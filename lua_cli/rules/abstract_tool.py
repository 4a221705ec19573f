"""A registered tool cannot be built: a method that its bases ask for is missing.

`LuaTool` asks for `execute`, and a shared base may ask for more with `@abstractmethod`. A class that leaves one of them
open raises `TypeError: Can't instantiate abstract class …` where it is called. An annotation without a value implements
nothing, and a mixin that brings the method counts only when it stands before the base that asks for it.

What to do: implement the method, or put the mixin first: `class T(HttpMixin, NeedsFetch)`.

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

    def run(self, input: Query) -> list[str]:
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

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import ClassInfo
from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/abstract-tool"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tools:
        info = tool.info
        if not info.abstract:
            continue
        members = ", ".join(f"`{member}`" for member, _ in info.abstract_members) or "a method of its bases"
        verb = "is" if len(info.abstract_members) <= 1 else "are"
        askers = ", ".join(dict.fromkeys(short(asker) for _, asker in info.abstract_members))
        asked = f" ({askers} asks for it)" if askers else ""
        yield Diagnostic(
            CODE,
            SEVERITY,
            f"{short(info.dotted)} cannot be built: {members} {verb} not implemented{asked}",
            tool.use.place,
            help=_help(context, info),
            related=(Related(info.place, "the class"),),
        )


def _help(context: Context, info: ClassInfo) -> str:
    for member, asker in info.abstract_members:
        mro = info.mro or ()
        classes = [context.analysis.classes[dotted] for dotted in mro if dotted in context.analysis.classes]
        for holder in classes:
            if member in holder.annotated and holder.dotted != asker:
                return f"`{member}` is only annotated, not assigned: give it a value"
        after = mro[mro.index(asker) + 1 :] if asker in mro else ()
        for holder in classes:
            if holder.dotted in after and member in holder.members and not _asks(holder, member):
                return (
                    f"{short(holder.dotted)} has `{member}` but stands after {short(asker)}: put it first in the bases"
                )
    first = info.abstract_members[0][0] if info.abstract_members else "execute"
    return f"implement `{first}` in {short(info.dotted)}"


def _asks(info: ClassInfo, member: str) -> bool:
    return any(name == member and asker == info.dotted for name, asker in info.abstract_members)
