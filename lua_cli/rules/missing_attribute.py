"""A tool has no name, or its name is no text.

Nothing along the chain of bases gives `name` a value (an annotation alone gives none), or the value is not a string.
Python notices only when the name is read: `AttributeError` in the middle of a conversation, or a model provider that
refuses the request.

What to do: assign the name in the class body.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name: str
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

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
    name: str = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.rules.judging.context import Context, RegisteredTool, short

CODE: Final = "lua/missing-attribute"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tools:
        name = tool.info.attributes["name"]
        if name.state == "missing":
            yield _absent(context, tool)
        elif name.state == "reference" or (name.state == "known" and not isinstance(name.value, str)):
            kind = type(name.value).__name__ if name.state == "known" else f"`{name.value}`"
            message = f"`name` of {short(name.owner or tool.info.dotted)} must be a string, got {kind}"
            yield Diagnostic(CODE, SEVERITY, message, context.place_of(name, tool), help='write `name = "…"`')


def _absent(context: Context, tool: RegisteredTool) -> Diagnostic:
    info = tool.info
    annotation = info.annotated.get("name")
    where, what = (annotation, "only annotated here") if annotation else (info.place, "the class")
    return Diagnostic(
        CODE,
        SEVERITY,
        f"{short(info.dotted)} has no `name`: no class in its chain of bases gives it a value",
        tool.use.place,
        help=f'assign it in the class body: `name = "{_suggestion(info.qualname)}"`',
        related=(Related(where, what),),
    )


def _suggestion(qualname: str) -> str:
    from lua_cli.rules.tool_name_style import lowered

    return lowered(short(qualname).removesuffix("Tool") or short(qualname))
