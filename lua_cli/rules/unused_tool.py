"""A tool class is in no skill, so it is not in the product.

The class could be a tool as it is: it has a name and an `execute`, and nothing derives from it. But no skill holds it,
so it is neither compiled nor offered to the model. Classes that others derive from are bases and are left alone, as is
a class whose name begins with an underscore. Files that nothing imports are looked through too, where they lie beside
the modules of registered tools: a tool that was written, but neither imported nor registered, is the one that nobody
misses until a customer does.

What to do: import the class, add an instance to the `tools` of a skill, or delete the class.

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


class SearchBlog(LuaTool[Query]):
    name = "search_blog"
    description = "Search the company's blog. Use when the customer asks about news."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


docs = LuaSkill(name="docs", context="Two searches: the docs and the blog.", tools=[SearchDocs()])
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


class SearchBlog(LuaTool[Query]):
    name = "search_blog"
    description = "Search the company's blog. Use when the customer asks about news."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


docs = LuaSkill(name="docs", context="Two searches: the docs and the blog.", tools=[SearchDocs(), SearchBlog()])
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short
from lua_cli.rules.judging.unreached import unreached_tools

CODE: Final = "lua/unused-tool"
SEVERITY: Final = "warning"


def check(context: Context) -> Iterator[Diagnostic]:
    analysis = context.analysis
    if not analysis.agents or _some_not_known(context):
        return  # what is not known, or not right yet, may be the very registration that is missed here
    used = {use.class_dotted for skill in analysis.skills for use in skill.tools}
    bases = {base for info in analysis.classes.values() for base in (info.mro or ())[1:]}
    for dotted, info in analysis.classes.items():
        name = short(dotted)
        if not (info.is_tool and info.abstract is False and info.instantiable and info.name) or name.startswith("_"):
            continue
        if dotted in used or dotted in bases or info.module not in analysis.modules:
            continue
        message = f"{name} is a tool that no skill holds, so it is not bundled"
        help_ = f"add `{name}()` to the tools of a skill, or delete the class"
        yield Diagnostic(CODE, SEVERITY, message, info.place, help=help_)
    for found in unreached_tools(context):
        message = f"{found.name} is a tool in a file that nothing imports, so it is not bundled"
        help_ = f"import it and add `{found.name}()` to the tools of a skill, or delete the class"
        yield Diagnostic(CODE, SEVERITY, message, found.place, help=help_)


def _some_not_known(context: Context) -> bool:
    """Whether a registration or a base of a class could not be told, or is none as it stands."""
    return any(info.mro is None for info in context.analysis.classes.values()) or any(
        info is None or not info.is_tool
        for skill in context.analysis.skills
        for info in map(context.analysis.tool_class, skill.tools)
    )
