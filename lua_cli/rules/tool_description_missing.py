"""A tool has no description.

The model decides by the description alone whether to call a tool. Without one it has only the name to go by, and
guesses.

What to do: say what the tool does and when to use it, in one to three sentences.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = ""
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

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/tool-description-missing"
SEVERITY: Final = "warning"


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        description = tool.info.attributes["description"]
        if description.state == "missing":
            message, place = f"{short(tool.info.dotted)} has no description", context.class_place(tool)
        elif description.state == "known" and description.text is None:
            kind = type(description.value).__name__
            message = f"the description of {short(tool.info.dotted)} is no text but {_article(kind)}"
            place = context.place_of(description, tool)
        elif description.text is not None and not description.text.strip():
            message = f"the description of {short(tool.info.dotted)} is empty"
            place = context.place_of(description, tool)
        else:
            continue
        yield Diagnostic(
            CODE,
            SEVERITY,
            message,
            place,
            help="say what the tool does and when to use it: the model decides by this text",
        )


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
