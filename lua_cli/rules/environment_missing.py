"""A variable that a tool needs is set nowhere.

The tool reads it without a default, and it is neither in the environment of the compile, nor in the project's `.env`,
nor listed in `.env.example`. The first call then fails where nobody has set it.

What to do: set it here (`.env` is for values of this machine, and is never bundled), or name it in `.env.example`,
which belongs in git: the list of what a machine has to have. Give a default where the tool works without it. Whether
the place that you push to has it is said by `lua push`.

Bad:

```python
import os

from pydantic import BaseModel

from lua_cli import LuaTool


class Payment(BaseModel):
    number: str


class FindPayment(LuaTool[Payment]):
    name = "find_payment"
    description = "Find a payment by its number. Use when the customer asks whether it arrived."
    input_schema = Payment

    def execute(self, input: Payment) -> str:
        return f"{os.environ['PAYMENTS_ADDRESS_OF_EXAMPLE']}/{input.number}"
```

Good:

```python
# file: .env.example
PAYMENTS_ADDRESS_OF_EXAMPLE=

# file: tools.py
import os

from pydantic import BaseModel

from lua_cli import LuaTool


class Payment(BaseModel):
    number: str


class FindPayment(LuaTool[Payment]):
    name = "find_payment"
    description = "Find a payment by its number. Use when the customer asks whether it arrived."
    input_schema = Payment

    def execute(self, input: Payment) -> str:
        return f"{os.environ['PAYMENTS_ADDRESS_OF_EXAMPLE']}/{input.number}"
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of

CODE: Final = "lua/environment-missing"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    names = finding.facts["names"].splitlines()
    verb = "are" if len(names) > 1 else "is"
    message = f"{', '.join(f'`{name}`' for name in names)} {verb} read without a default, and {verb} set nowhere"
    help_ = f"put `{names[0]}=…` into .env, or name it in .env.example, or give a default"
    return diagnostic_of(finding, CODE, SEVERITY, message, help_)
