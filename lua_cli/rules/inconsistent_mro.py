"""Python cannot order the bases of a class.

`class Leaf(A, B)` where B derives from A asks for A before B and for B before A. Python raises TypeError ("Cannot
create a consistent method resolution order") when the module is imported.

What to do: name the more derived base first, or leave the other out: it is inherited anyway.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class Search(LuaTool[Query]):
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


class DocsSearch(Search):
    path = "/docs"


class SearchDocs(Search, DocsSearch):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class Search(LuaTool[Query]):
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return []


class DocsSearch(Search):
    path = "/docs"


class SearchDocs(DocsSearch):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import short
from lua_cli.rules.judging.wording import because, diagnostic_of, near

CODE: Final = "lua/inconsistent-mro"
SEVERITY: Final = "error"


def from_finding(finding: Finding) -> Diagnostic:
    what = short(finding.facts.get("name", "")) or "this class"
    help_ = near(finding, "name the more derived base first, or leave out the one that it derives from")
    return diagnostic_of(finding, CODE, SEVERITY, f"Python cannot make {what}{because(finding)}", help_)
