"""A registered tool cannot be built without arguments.

The compiler builds each tool class once and with no arguments, and reuses the instance wherever the tool is registered.
A constructor with a parameter that has no default therefore cannot be called.

What to do: give the parameter a default, or make it a field of the class that a subclass overrides.

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

    def __init__(self, path: str) -> None:
        self.path = path

    def execute(self, input: Query) -> str:
        return self.path
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
    path = "/docs"

    def execute(self, input: Query) -> str:
        return self.path
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/constructor-args-required"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tools:
        info = tool.info
        if info.instantiable is not False or info.abstract:
            continue
        required = ", ".join(f"`{name}`" for name in info.required)
        reason = (
            f"{required} {'has' if len(info.required) == 1 else 'have'} no default"
            if required
            else "its bases refuse it"
        )
        yield Diagnostic(
            CODE,
            SEVERITY,
            f"{short(info.dotted)} cannot be built with no arguments: {reason}",
            tool.use.place,
            help="give it a default, or make it a field of the class that a subclass overrides",
            related=(Related(info.place, "the class"),),
        )
