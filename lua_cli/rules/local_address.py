"""The code names something that only this machine has.

An address such as `http://localhost:8000`, a path such as `/Users/me/out`, or a file that is looked for in the working
folder (`sqlite3.connect("crm.db")`, `open("rates.json")`) works where it was written. Where a skill runs there is
another machine, another user, and an empty working folder.

What to do: take an address from a variable of the environment, without a local one as the default. Read a file from
beside the module (`Path(__file__).parent / "rates.json"`: it is bundled then), and keep what has to last in `Data`.
Where the place is meant, silence the line: `# lua: ignore[local-address]`.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool, env


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track_order"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return env("CRM_ADDRESS", "http://localhost:8000") + input.number
```

Good:

```python
# file: .env.example
CRM_ADDRESS=

# file: tools.py
from pydantic import BaseModel

from lua_cli import LuaTool, env


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track_order"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return env("CRM_ADDRESS") + input.number
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of, subject

CODE: Final = "lua/local-address"
SEVERITY: Final = "warning"
LATER = True

_WORDS: Final = {
    "address": ("is an address of this machine", "take it from the environment, without a local default"),
    "path": ("is a path of this machine", "read it from beside the module, or take the path from the environment"),
    "file": (
        "is looked for in the working folder, which is empty where a tool runs",
        'read it from beside the module: `Path(__file__).parent / "…"`',
    ),
}


def from_finding(finding: Finding) -> Diagnostic:
    words, help_ = _WORDS[finding.facts.get("reason", "address")]
    return diagnostic_of(finding, CODE, SEVERITY, f"{subject(finding, 'this')} {words}", help_)
