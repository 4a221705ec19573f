"""A tool is registered with constructor arguments, which are dropped.

Each tool class is instantiated once, with no arguments, and that instance is reused at every reference: in the artifact
there are only classes. `AcmeSearch("/acme")` therefore behaves like `AcmeSearch()`. Where a dropped argument would have
set `name`, the tool would even ship under another name, and this is an error.

What to do: subclass and override the field, or let the subclass hand the values to the constructor, as the fix does: a
constructor with a default of its own would assign that over the field.

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


class AcmeSearchDocs(SearchDocs):
    path = "/acme"

    def __init__(self) -> None:
        super().__init__(self.path)


docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[AcmeSearchDocs()])
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import Argument, ClassInfo, ToolUse
from lua_cli.diagnostics import Diagnostic, Fix, Place, Related
from lua_cli.rules.fixes.subclassing import Constructor, subclass_fix
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/constructor-args-dropped"
SEVERITY: Final = "warning"  # an error where the tool would ship under another name


def check(context: Context) -> Iterator[Diagnostic]:
    for skill, use, info in context.uses():
        if use.form != "instance" or not use.arguments or info is None or info.is_tool is False:
            continue
        name = short(info.dotted)
        listed = ", ".join(_written(argument) for argument in use.arguments)
        verb = "is" if len(use.arguments) == 1 else "are"
        message = f"{name} is instantiated once with no arguments: {listed} {verb} dropped"
        fields = _fields_set(use, info)
        renamed = fields.get("name")
        if renamed is not None:
            message += f"; as written the tool would be called {_value(renamed)}"
            message += f', the compiled one "{info.name}"' if info.name is not None else ""
        yield Diagnostic(
            CODE,
            "error" if renamed is not None else SEVERITY,
            message,
            use.call or use.place,
            help=_help(name, list(fields)),
            fix=_fix(context, use, info, skill.name or "") if renamed is None else None,
            related=(Related(info.place, "the class"),),
        )


def _value(argument: Argument) -> str:
    return argument.text.removeprefix(f"{argument.keyword}=")


def _written(argument: Argument) -> str:
    return f"`{argument.text}`"


def _fields_set(use: ToolUse, info: ClassInfo) -> dict[str, Argument]:
    """Field of the instance → the argument that would set it, as far as that is known."""
    fields: dict[str, Argument] = {}
    positional = iter(info.parameters)
    for argument in use.arguments:
        if argument.star:
            positional = iter(())
            continue
        parameter = argument.keyword or next(positional, None)
        if parameter is not None and parameter in info.accepts:
            fields[info.accepts[parameter]] = argument
    return fields


def _help(name: str, fields: list[str]) -> str:
    which = f"`{fields[0]}`" if len(fields) == 1 else "the field"
    return f"subclass {name}, override {which} there, and register the subclass without arguments"


def _fix(context: Context, use: ToolUse, info: ClassInfo, label: str) -> Fix | None:
    """A subclass, where `super().__init__(…)` does all that the call did."""
    if use.call is None or not context.is_own(use.call) or not _taken(use, info):
        return None
    mro = [context.analysis.classes[dotted] for dotted in info.mro or () if dotted in context.analysis.classes]
    if info.mro is None or any("__new__" in holder.members for holder in mro):
        return None
    model = any(dotted.startswith("pydantic.") for dotted in info.mro)
    methods = {name for holder in mro for name in holder.members if _is_method(context, holder.members[name])}
    fields = {} if model else {key: field for key, field in info.accepts.items() if field not in methods}
    constructor = Constructor(short(info.dotted), info.parameters, fields)
    return subclass_fix(context.text(use.call.path), use.call, constructor, label)


def _taken(use: ToolUse, info: ClassInfo) -> bool:
    """Whether the constructor surely takes the arguments: else a subclass that hands them on would fail as the call
    does."""
    names = {*info.parameters, *info.accepts}
    positional = [argument for argument in use.arguments if not argument.keyword and not argument.star]
    keywords = [argument.keyword for argument in use.arguments if argument.keyword]
    return len(positional) <= len(info.parameters) and names.issuperset(keywords)


def _is_method(context: Context, place: Place) -> bool:
    """Whether a member of a class is a function or property rather than a plain value, which a field would hide."""
    line = context.text(place.path).split("\n")[place.line - 1]
    return line.lstrip().startswith(("def ", "async def "))
