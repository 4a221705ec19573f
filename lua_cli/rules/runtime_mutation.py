"""A tool class or a skill is changed after it was made.

An assignment to an attribute of a tool class outside of its body, `setattr`, or a change of a skill's `tools` that is
no `add_tool`: whether and when it runs depends on who imports what first. In the artifact a tool is imported without
the agent, so the change may never happen.

What to do: assign the attribute in the class body, or override it in a subclass; list a skill's tools in its call, or
use `add_tool`.

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

    def execute(self, input: Query) -> list[str]:
        return []


SearchDocs.name = "search_documentation"
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_documentation"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, near, subject

CODE: Final = "lua/runtime-mutation"
SEVERITY: Final = "warning"


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "this")
    help_ = near(finding, "assign it in the class body, or list the tools in the call of LuaSkill")
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} changes after it was made{because(finding)}", help_)
