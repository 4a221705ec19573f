"""A variable is read by a name that only a run knows.

A tool sees the variables that its skill's manifest names, and no others. A name is told from a literal, a constant, an
attribute of a class, the elements of a literal, and what a function is called with. This one is told from none of
these, so the variable may not reach the tool.

What to do: name the variables in `[tool.lua] env`. This is said as long as none of them begins like the expression
(`KEY_`); when the expression has no literal beginning, any name there will do.

Bad:

```python
import os

from pydantic import BaseModel

from lua_cli import LuaTool


class Payment(BaseModel):
    region: str


class FindPayment(LuaTool[Payment]):
    name = "find_payment"
    description = "Find the payments of a region. Use when the customer asks what was paid there."
    input_schema = Payment

    def execute(self, input: Payment) -> str:
        return os.environ.get(f"KEY_{input.region}", "")
```

Good:

```python
# file: pyproject.toml
[tool.lua]
env = ["KEY_EU", "KEY_US"]

# file: tools.py
import os

from pydantic import BaseModel

from lua_cli import LuaTool


class Payment(BaseModel):
    region: str


class FindPayment(LuaTool[Payment]):
    name = "find_payment"
    description = "Find the payments of a region. Use when the customer asks what was paid there."
    input_schema = Payment

    def execute(self, input: Payment) -> str:
        return os.environ.get(f"KEY_{input.region}", "")
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of, subject

CODE: Final = "lua/environment-computed"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "an expression")
    message = f"the variable that {what} names does not reach the tool: only a run knows its name"
    return diagnostic_of(finding, CODE, SEVERITY, message, 'name the variables in [tool.lua]: env = ["NAME"]')
