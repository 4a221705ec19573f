"""A tool is something else at run time than in its source.

The compiler reads name and description, and the probe then imports the artifact and asks the real instance. When they
differ, something changes the tool while it is built or imported: an `__init__`, an `__init_subclass__`, a decorator, a
patch. What was read would be shown and pushed, and what runs would be another thing.

What to do: assign the value in the class body and nowhere else.

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


exec('SearchDocs.name = "find_docs"')
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
from lua_cli.rules.judging.wording import diagnostic_of

CODE: Final = "lua/probe-disagrees"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    facts = finding.facts
    message = (
        f"the {facts['field']} of {facts['name']} is {facts['read']} in the source, but {facts['seen']} at run time"
    )
    help_ = f"assign `{facts['field']}` in the class body and nowhere else"
    return diagnostic_of(finding, CODE, SEVERITY, message, help_)
