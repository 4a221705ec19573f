"""A tool does not say what its input is.

Without a schema the model gets "any object" and makes the field names up, and nothing is validated before `execute`
runs.

What to do: set `input_schema` to a pydantic model, a TypedDict, a dataclass or a JSON Schema, or annotate the parameter
of `execute` with one. A tool without input takes a model without fields.

Bad:

```python
from lua_cli import LuaTool


class SearchDocs(LuaTool):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."

    def execute(self, input):
        return input["text"]
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

    def execute(self, input: Query) -> str:
        return input.text
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/input-schema-missing"
SEVERITY: Final = "warning"

_ANYTHING = r"(typing\.)?(Any|object)"
_SAYS_NOTHING = re.compile(
    rf"""["']?({_ANYTHING}|(typing\.)?(dict|Dict|Mapping)(\[\s*str\s*,\s*{_ANYTHING}\s*\])?)["']?"""
)


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        info = tool.info
        schema, annotation = info.attributes["input_schema"], info.input_annotation
        without = schema.state == "missing" or (schema.state == "known" and schema.value is None)
        if not without or info.attributes["execute"].state in ("missing", "dynamic"):
            continue
        if annotation is not None and not _SAYS_NOTHING.fullmatch(annotation.strip()):
            continue
        yield Diagnostic(
            CODE,
            SEVERITY,
            f"{short(info.dotted)} does not say what its input is",
            context.class_place(tool),
            help="set `input_schema` to a pydantic model, or annotate the parameter of `execute` with one"
            if info.flow is None
            else 'give it a JSON Schema: input_schema={"type": "object", "properties": {…}}',
        )
