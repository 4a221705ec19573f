"""What is registered here cannot be told without running the code.

Every element of `tools=[…]` and `skills=[…]` must lead to a class or a skill that the compiler can find by reading. A
call with an unknown result, a lookup by a name that is put together at run time, a name that does not exist: each would
leave tools out in silence.

What to do: write the instances in the list, or in a list of the module that is spread into it:
`tools=[*COMMON, SearchDocs()]`.

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

    def execute(self, input: Query) -> list[str]:
        return []


# file: agent.py
from lua_cli import LuaAgent, LuaSkill

import tools

docs = LuaSkill(
    name="docs",
    context="Use search_docs for questions about the product.",
    tools=[getattr(tools, name)() for name in dir(tools) if name.startswith("Search")],
)
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

    def execute(self, input: Query) -> list[str]:
        return []


# file: agent.py
from lua_cli import LuaAgent, LuaSkill

import tools

docs = LuaSkill(
    name="docs",
    context="Use search_docs for questions about the product.",
    tools=[tools.SearchDocs()],
)
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic, Edit, Fix, Place
from lua_cli.records import replace
from lua_cli.rules.fixes.importing import line_after_imports, modules_that_define
from lua_cli.rules.judging.context import Context
from lua_cli.rules.judging.wording import SOURCE_FIRST, because, diagnostic_of, near, subject

CODE: Final = "lua/unresolved-primitive-ref"
SEVERITY: Final = "error"


_BROKEN = re.compile(r"its source cannot be read|its import fails")
_UNDEFINED = re.compile(r"`(\w+)` is not defined")


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "what is registered here")
    broken = _BROKEN.search(finding.facts.get("reason", ""))
    help_ = near(finding, SOURCE_FIRST if broken else "write the instances in the list: `tools=[SearchDocs()]`")
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} cannot be resolved{because(finding)}", help_)


def amend(diagnostic: Diagnostic, finding: Finding, context: Context) -> Diagnostic:
    """A name that is not bound, but that one module of the project defines, only lacks its import."""
    undefined = _UNDEFINED.match(finding.facts.get("reason", ""))
    module = next((name for name, path in context.analysis.modules.items() if path == finding.place.path), None)
    top = context.top_level(module) if undefined and module else None
    if undefined is None or top is None or undefined[1] in top.names:
        return diagnostic
    definitions = list(islice(modules_that_define(undefined[1], context.project, context.index.finder), 2))
    if not definitions:
        import difflib

        likely = difflib.get_close_matches(undefined[1], top.names, n=1)
        return replace(diagnostic, help=f"did you mean `{likely[0]}`?") if likely else diagnostic
    if len(definitions) != 1:
        return diagnostic
    statement = f"from {definitions[0]} import {undefined[1]}"
    line = line_after_imports(top.body)
    edit = Edit(Place(finding.place.path, line, 1, line, 1), statement + "\n")
    fix = Fix(f"Import it: `{statement}`", (edit,))
    return replace(diagnostic, help=f"`{definitions[0]}` defines it: `{statement}`", fix=fix)
