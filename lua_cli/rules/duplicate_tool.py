"""Two tools of one agent have the same name.

The model calls a tool by its name, so of two tools with one name only one can ever be called, and which one depends on
the provider. Mostly a subclass forgot to override `name`, or one tool was added to a skill twice. The same class in two
skills is fine: it is one tool.

What to do: give each class a `name` of its own, or remove one of the two.

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
    path = "/docs"

    def execute(self, input: Query) -> str:
        return self.path


class SearchBlog(SearchDocs):
    description = "Search the company's blog. Use when the customer asks about news and announcements."
    path = "/blog"


docs = LuaSkill(name="docs", context="Two searches: the docs and the blog.", tools=[SearchDocs(), SearchBlog()])
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
    path = "/docs"

    def execute(self, input: Query) -> str:
        return self.path


class SearchBlog(SearchDocs):
    name = "search_blog"
    description = "Search the company's blog. Use when the customer asks about news and announcements."
    path = "/blog"


docs = LuaSkill(name="docs", context="Two searches: the docs and the blog.", tools=[SearchDocs(), SearchBlog()])
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.rules.judging.context import Context, RegisteredTool, short

CODE: Final = "lua/duplicate-tool"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    for agent in context.analysis.agents:
        held = {id(skill) for skill in context.skills_of(agent)}
        first: dict[str, RegisteredTool] = {}
        for tool in context.tools:
            name = tool.info.name
            if name is None or tool.use.maybe or id(tool.skill) not in held:
                continue
            before = first.setdefault(name, tool)
            if before is tool or (before.info is tool.info and before.skill is not tool.skill):
                continue
            yield _twice(tool, before) if before.info is tool.info else _clash(tool, before)


def _twice(tool: RegisteredTool, before: RegisteredTool) -> Diagnostic:
    message = f"the skill `{tool.skill.name}` has {short(tool.info.dotted)} (`{tool.info.name}`) twice"
    related = (Related(before.use.place, "the first time"),)
    return Diagnostic(CODE, SEVERITY, message, tool.use.place, help="remove one of the two", related=related)


def _clash(tool: RegisteredTool, before: RegisteredTool) -> Diagnostic:
    mine, other = short(tool.info.dotted), short(before.info.dotted)
    if mine == other:
        mine, other = tool.info.dotted, before.info.dotted
    message = f"{other} and {mine} are both called `{tool.info.name}`"
    forgetful = tool
    for one in (tool, before):
        owner = one.info.attributes["name"].owner
        if owner and owner != one.info.dotted:
            message += f"; {short(one.info.dotted)} inherits its name from {short(owner)}"
            forgetful = one
            break
    related = tuple(
        Related(one.info.attributes["name"].place or one.info.place, f"the name of {label}")
        for one, label in ((before, other), (tool, mine))
    )
    help_ = f"give {short(forgetful.info.dotted)} a `name` of its own"
    return Diagnostic(CODE, SEVERITY, message, tool.use.place, help=help_, related=related)
