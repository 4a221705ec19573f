"""No JSON Schema can be made of a tool's input.

The schema is what a model gets to fill in, and what its answer is checked against. When the annotation cannot be
evaluated (a name that is imported only for the type checker, a type that is not defined yet) or has no JSON form (a
function, an open file, a class of one's own), there is nothing to give: a partial schema would only fail later, in a
conversation.

What to do: import at run time what the annotation names, and use types that pydantic can describe: str, int, float,
bool, list, dict, date, Enum, Literal and models of them.

Bad:

```python
from collections.abc import Callable

from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str
    check: Callable[[str], bool]


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []
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
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of

CODE: Final = "lua/schema-failed"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    what = finding.facts.get("name", "the tool")
    help_ = finding.facts.get("advice") or "use types that have a JSON form, and import them at run time"
    return diagnostic_of(finding, CODE, SEVERITY, f"the input of {what} has no JSON Schema{because(finding)}", help_)
