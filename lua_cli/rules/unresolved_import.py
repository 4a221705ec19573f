"""An import names a module or a name that is not there.

When the artifact is imported, the same import raises ModuleNotFoundError or ImportError, and no tool of that file can
run.

What to do: mend the name, or install the package into the project's environment and add it to `[project] dependencies`.
A dependency that may be absent belongs into `try: … except ImportError: …`.

Bad:

```python
# file: tools.py
from delivery_dates import delivery_date
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> str:
        return delivery_date(input.text)
```

Good:

```python
# file: delivery_dates.py
def delivery_date(number: str) -> str:
    return "tomorrow"

# file: tools.py
from delivery_dates import delivery_date
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> str:
        return delivery_date(input.text)
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, near, subject

CODE: Final = "lua/unresolved-import"
SEVERITY: Final = "error"


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "this")
    help_ = near(finding, "mend the name, or install the package that has it into the project's environment")
    return diagnostic_of(finding, CODE, SEVERITY, f"cannot import {what}{because(finding)}", help_)
