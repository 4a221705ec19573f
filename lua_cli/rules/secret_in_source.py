"""A key or password stands in the source.

Whatever is in a module goes into the artifact, and from there to everybody who can read the registry; it stays in every
version that was pushed, and in the history of the repository. Only forms that leave no doubt are reported: keys as AWS,
GitHub, Stripe, OpenAI, Slack and others issue them, private keys, and passwords in URLs. The value itself is shown
nowhere.

What to do: revoke it, since it must be taken for known. Read the new one from the environment inside `execute`:
`env("SHOP_KEY")`.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool

DATABASE = "postgresql://shop:kX81pQz7@db.shop.internal/orders"


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track_order"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return f"{len(DATABASE)}: {input.number}"
```

Good:

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
        return f"{len(env('DATABASE'))}: {input.number}"
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.rules.judging.context import Context
from lua_cli.source.secrets import secrets_in

CODE: Final = "lua/secret-in-source"
SEVERITY: Final = "warning"


def check(context: Context) -> Iterator[Diagnostic]:
    for path in sorted(context.own_paths):
        for secret in secrets_in(context.glance(path)):
            place = Place(path, secret.line, secret.column, secret.line, secret.end_column)
            help_ = "revoke it, and read the new one from the environment in `execute`"
            yield Diagnostic(CODE, SEVERITY, f"a secret stands in the source ({secret.kind})", place, help=help_)
