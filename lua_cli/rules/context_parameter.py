"""A parameter of `execute` that was meant to get the voice session gets nothing.

On a voice session the second parameter of `execute` gets the context when it is called `ctx`. A second parameter of
another name with a default keeps its default, and so do a third one, one after `*`, and any beside `*args`.

What to do: call it `ctx`, and put it second: `def execute(self, input: In, ctx: ToolContext | None = None)`.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool, ToolContext


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query, context: ToolContext | None = None) -> list[str]:
        if context is not None:
            context.voice.say("One moment.")
        return []
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool, ToolContext


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query, ctx: ToolContext | None = None) -> list[str]:
        if ctx is not None:
            ctx.voice.say("One moment.")
        return []
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import Parameter
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/context-parameter"
SEVERITY: Final = "warning"

NAME = "ctx"
_ANNOTATED = re.compile(r"\bToolContext\b")
_SAYS_SO = frozenset({NAME, "context", "tool_context", "tool_ctx", "ctxt", "cntx", "voice", "session", "voice_session"})


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        if tool.info.flow is not None:
            continue
        owner = short(tool.info.attributes["execute"].owner or tool.info.dotted)
        parameters = tool.info.signatures.get("execute", ())
        for parameter in parameters:
            reason = _reason(parameter, parameters)
            if reason and context.is_own(parameter.place):
                message = f"`{parameter.name}` of {owner}.execute gets no voice session: {reason}"
                help_ = "make it the second parameter: `execute(self, input, ctx: ToolContext | None = None)`"
                yield Diagnostic(CODE, SEVERITY, message, parameter.place, help=help_)


def _reason(parameter: Parameter, parameters: tuple[Parameter, ...]) -> str:
    """Why a parameter that was meant to get the context does not; "" for one that does, or was not meant to."""
    if parameter.kind in ("*", "**") or not _is_meant(parameter):
        return ""
    positional = [one for one in parameters if one.kind in ("positional-only", "positional")]
    if any(one.kind == "*" for one in parameters):
        return "beside `*` parameters, nothing but the input is given"
    if parameter not in positional:
        return "it is given by position, and this one takes its name alone"
    at = positional.index(parameter)
    if at == 0:
        return "the first parameter gets the input"
    if at > 1:
        return "it is given as the second parameter"
    return "" if parameter.name == NAME or parameter.required else f"a parameter with a default must be called `{NAME}`"


def _is_meant(parameter: Parameter) -> bool:
    if _ANNOTATED.search(parameter.annotation):
        return True
    return parameter.name in _SAYS_SO and parameter.has_default and not parameter.annotation
