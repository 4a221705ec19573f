"""What a tool class is, only a run can tell.

A decorator may replace the class by something else, `type(…)` makes a class without a statement, and
`__init_subclass__` or a metaclass may write its attributes. The compiler lists and packs what it can read; it does not
guess what such code does. Decorators known to give back the class (`dataclass`, `final`, `functools.total_ordering`,
one of the project's own that returns its argument) are followed.

What to do: write the class out, and assign `name` and `description` in its body.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


SearchDocs = type(
    "SearchDocs",
    (LuaTool,),
    {
        "name": "search_docs",
        "description": "Search the product documentation. Use when the customer asks how something works.",
        "input_schema": Query,
        "execute": lambda self, input: [],
    },
)

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from tools import SearchDocs

docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[SearchDocs()])
agent = LuaAgent(name="acme", skills=[docs])
```

Good:

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

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from tools import SearchDocs

docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[SearchDocs()])
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import short
from lua_cli.rules.judging.wording import because, diagnostic_of, near

CODE: Final = "lua/dynamic-class"
SEVERITY: Final = "error"
_REPLACED = "it is a function after"


def from_finding(finding: Finding) -> Diagnostic:
    reason = finding.facts.get("reason", "")
    what = short(finding.facts.get("name", "")) or finding.facts.get("expression", "") or "this class"
    help_ = near(finding, "write a class statement whose body assigns `name` and `description`")
    if reason.startswith(_REPLACED):
        help_ = "a decorator of a tool must return the class"
        return diagnostic_of(finding, CODE, SEVERITY, f"{what} {reason.removeprefix('it ')}", help_)
    return diagnostic_of(finding, CODE, SEVERITY, f"what {what} is, only a run can tell{because(finding)}", help_)
