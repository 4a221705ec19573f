"""Something is registered as a tool that is none.

The elements of `tools=[…]` must be instances of classes that derive from `lua_cli.LuaTool`. Two slips are common: the
class itself instead of an instance (`SearchDocs` for `SearchDocs()`), and a class with all the right members that does
not inherit `LuaTool`, sometimes because its base is another class of that name, or is one only for the type checker.

What to do: call the class; inherit `LuaTool`. The fix adds the call.

Bad:

```python
# file: agent.py
from pydantic import BaseModel

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[SearchDocs])
agent = LuaAgent(name="acme", skills=[docs])
```

Good:

```python
# file: agent.py
from pydantic import BaseModel

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[SearchDocs()])
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import ClassInfo, ToolUse
from lua_cli.diagnostics import Diagnostic, Edit, Fix, Related
from lua_cli.rules.fixes.rewriting import called
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/not-a-tool"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    for _skill, use, info in context.uses():
        if use.form == "other":
            said = use.what and use.what.strip("`") != use.expression
            message = f"`{use.expression}` is {use.what}, not a tool" if said else f"`{use.expression}` is not a tool"
            yield Diagnostic(
                CODE, SEVERITY, message, use.place, help="register instances of classes that inherit `LuaTool`"
            )
        elif info is not None and info.is_tool is False and use.form in ("instance", "class"):
            yield _foreign(context, use, info)
        elif info is not None and info.is_tool and use.form == "class":
            yield _uncalled(context, use, info)


def _uncalled(context: Context, use: ToolUse, info: ClassInfo) -> Diagnostic:
    written = context.source(use.place)
    fix = None
    call = called(written) if written else None
    if call is not None:
        fix = Fix(f"Call the class: `{call}`", (Edit(use.place, call),))
    return Diagnostic(
        CODE,
        SEVERITY,
        f"{short(info.dotted)} is the class, not a tool",
        use.place,
        help=f"write `{use.expression}()`",
        fix=fix,
    )


def _foreign(context: Context, use: ToolUse, info: ClassInfo) -> Diagnostic:
    name = short(info.dotted)
    related = (Related(info.place, "the class"),)
    namesake = next((base for base in info.mro or () if short(base) == "LuaTool"), None)
    if namesake:
        message = f"{name} is not a tool: its base is {namesake}, not lua_cli's LuaTool"
        help_ = "write `from lua_cli import LuaTool`"
    elif info.look_alike:
        message = f"{name} has the members of a tool but does not inherit LuaTool"
        help_ = f"write `class {name}(LuaTool)`"
    else:
        message = f"{name} is not a tool: it does not inherit LuaTool"
        bases = ", ".join(info.bases_text)
        help_ = (
            f"{bases} is no LuaTool when the class is made: `lua explain {name}` shows its bases"
            if bases
            else (f"write `class {name}(LuaTool)`")
        )
    return Diagnostic(CODE, SEVERITY, message, use.place, help=help_, related=related)
