"""A name may be one of several things, and only a run decides which.

The environment, a function with `global`, or a condition on something unknown decides what is bound. The compiler takes
every candidate into the artifact and says so, since on another machine the answer may be another one.

What to do: bind it once. To offer a tool only sometimes, register it always and write a `condition`.

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
import os

from lua_cli import LuaAgent, LuaSkill

from tools import SearchDocs

docs = LuaSkill(
    name="docs",
    context="Use search_docs for questions about the product.",
    tools=[SearchDocs()] if os.environ.get("DOCS_URL") else [],
)
agent = LuaAgent(name="acme", skills=[docs])
```

Good:

```python
# file: tools.py
import os

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

    def condition(self) -> bool:
        return "DOCS_URL" in os.environ

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from tools import SearchDocs

docs = LuaSkill(
    name="docs",
    context="Use search_docs for questions about the product.",
    tools=[SearchDocs()],
)
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, near, subject

CODE: Final = "lua/ambiguous-binding"
SEVERITY: Final = "warning"


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "this")
    help_ = near(finding, "bind it once; to offer a tool only sometimes, give it a `condition`")
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} may be one of several things{because(finding)}", help_)
