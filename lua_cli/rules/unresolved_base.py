"""A base of a tool class is only known when the code runs.

Name, description, schema and `execute` may all come from a base: as long as one base is unknown, so is the tool. The
result of a call, a lookup in a registry, a loop variable or a missing package cannot be followed by reading.

What to do: import the base class and name it in the class statement. Where a factory makes classes, write the class out
once.

Bad:

```python
import os

from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


BASES = {"sync": LuaTool}


class SearchDocs(BASES[os.environ.get("SEARCH_KIND", "sync")]):
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

import re
from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import short
from lua_cli.rules.judging.wording import SOURCE_FIRST, because, diagnostic_of, near

CODE: Final = "lua/unresolved-base"
SEVERITY: Final = "error"

_BROKEN = re.compile(r"its source cannot be read|its import fails")


def from_finding(finding: Finding) -> Diagnostic:
    owner = f" of {short(finding.facts['name'])}" if finding.facts.get("name") else ""
    expression = finding.facts.get("expression", "")
    base = f"the base `{expression}`{owner}" if expression else f"a base{owner}"
    broken = _BROKEN.search(finding.facts.get("reason", ""))
    way_out = SOURCE_FIRST if broken else "import the base class and name it in the class statement"
    help_ = near(finding, way_out)
    return diagnostic_of(finding, CODE, SEVERITY, f"{base} cannot be resolved{because(finding)}", help_)
