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

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, near, subject

CODE: Final = "lua/unresolved-primitive-ref"
SEVERITY: Final = "error"


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "what is registered here")
    help_ = near(finding, "write the instances in the list: `tools=[SearchDocs()]`")
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} cannot be resolved{because(finding)}", help_)
