"""A condition has parameters, and is called without arguments.

The condition of a tool is asked as `condition()`, with `self` alone, and that of a skill with nothing. One that needs
more raises `TypeError` before every turn, and a condition that raises leaves the tool, or the skill, out: it is never
offered.

What to do: take the parameters away. `User.get()` gives the end user, and `env("NAME")` a variable.

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

    def condition(self, user: object) -> bool:
        return user is not None

    def execute(self, input: Query) -> list[str]:
        return []
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool, User


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def condition(self) -> bool:
        return User.get() is not None

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/condition-arguments"
SEVERITY: Final = "warning"


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        required = [one for one in tool.info.signatures.get("condition", ()) if one.required]
        if required:
            owner = short(tool.info.attributes["condition"].owner or tool.info.dotted)
            place = required[0].place if context.is_own(required[0].place) else context.class_place(tool)
            message = (
                f"{owner}.condition is called without arguments, and needs {_listed([one.name for one in required])}"
            )
            help_ = "write `def condition(self)`: without an answer the tool is never offered"
            yield Diagnostic(CODE, SEVERITY, message, place, help=help_)
    for skill in context.skills:
        if skill.condition is not None and skill.condition.required:
            label = f"the skill `{skill.name}`" if skill.name else "the skill"
            needed = _listed(skill.condition.required)
            message = f"the condition of {label} is called without arguments, and needs {needed}"
            help_ = "name a function without parameters: without an answer the skill is never offered"
            yield Diagnostic(CODE, SEVERITY, message, skill.condition.place, help=help_)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)
