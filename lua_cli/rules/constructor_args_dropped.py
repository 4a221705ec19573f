"""A tool is registered with constructor arguments, which are dropped.

Each tool class is instantiated once, with no arguments, and that instance is reused at every reference: in the artifact
there are only classes. `AcmeSearch("/acme")` therefore behaves like `AcmeSearch()`. Where a dropped argument would have
set `name`, the tool would even ship under another name, and this is an error.

What to do: subclass and override the field. The fix does so when the constructor only assigns its arguments to fields.

Bad:

```python
# file: tools.py
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def __init__(self, path: str = "/docs") -> None:
        self.path = path

    def execute(self, input: Query) -> str:
        return self.path

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from tools import SearchDocs

docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[SearchDocs("/acme")])
agent = LuaAgent(name="acme", skills=[docs])
```

Good:

```python
# file: tools.py
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def __init__(self, path: str = "/docs") -> None:
        self.path = path

    def execute(self, input: Query) -> str:
        return self.path

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from tools import SearchDocs


class DocsSearchDocs(SearchDocs):
    def __init__(self) -> None:
        super().__init__("/acme")


docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[DocsSearchDocs()])
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import Argument, ClassInfo, ToolUse
from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/constructor-args-dropped"
SEVERITY: Final = "warning"  # an error where the tool would ship under another name


def check(context: Context) -> Iterator[Diagnostic]:
    for _skill, use, info in context.uses():
        if use.form != "instance" or not use.arguments or info is None or info.is_tool is False:
            continue
        name = short(info.dotted)
        listed = ", ".join(written(argument) for argument in use.arguments)
        verb = "is" if len(use.arguments) == 1 else "are"
        message = f"{name} is instantiated once with no arguments: {listed} {verb} dropped"
        renamed = _renames(use, info)
        if renamed is not None:
            message += f"; as written the tool would be called {renamed.text}, the compiled one {info.name!r}"
        yield Diagnostic(
            CODE,
            "error" if renamed is not None else SEVERITY,
            message,
            use.call or use.place,
            help=_help(use, info),
            related=(Related(info.place, "the class"),),
        )


def written(argument: Argument) -> str:
    """An argument as the call has it."""
    prefix = f"{argument.keyword}=" if argument.keyword else argument.star
    return f"`{prefix}{argument.text}`"


def fields_set(use: ToolUse, info: ClassInfo) -> dict[str, Argument] | None:
    """Field of the instance → the argument that would set it; None when some argument's field is not known."""
    fields: dict[str, Argument] = {}
    positional = iter(info.parameters)
    for argument in use.arguments:
        parameter = argument.keyword or next(positional, None)
        if argument.star or parameter is None or parameter not in info.accepts:
            return None
        fields[info.accepts[parameter]] = argument
    return fields


def _renames(use: ToolUse, info: ClassInfo) -> Argument | None:
    """The argument that would give the tool its name, where there is one."""
    positional = iter(info.parameters)
    for argument in use.arguments:
        if argument.star:
            return None
        parameter = argument.keyword or next(positional, None)
        if parameter is not None and info.accepts.get(parameter) == "name":
            return argument
    return None


def _help(use: ToolUse, info: ClassInfo) -> str:
    fields = fields_set(use, info) or {}
    field, value = next(((field, argument.text) for field, argument in fields.items()), ("path", "…"))
    name = short(info.dotted)
    return f"subclass it and override the field: `class My{name}({name}): {field} = {value}`, and register `My{name}()`"
