"""A secret stands in a data file or a document that is bundled.

Everybody who gets the artifact gets the secret, and it stays in every version that was pushed. What `secret-in-source`
is for the modules of the project, this is for everything else that goes along: data files, documents, packages beside
the project. The value itself is shown nowhere.

What to do: revoke it, since it must be taken for known, and read the new one from the environment: `env("SHOP_KEY")`.
`lua push` refuses an artifact that holds a secret. A value that only looks like one can be pushed with `--allow-secret`
and the fingerprint that is shown here, or where the file may have comments, be marked with
`# pragma: allowlist secret` at the end of its line.

Bad:

```python
# file: shop.json
{"database": "postgresql://shop:kX81pQz7@db.shop.internal/orders"}

# file: tools.py
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track_order"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return (Path(__file__).parent / "shop.json").read_text()
```

Good:

```python
# file: shop.json
{"database": "postgresql://db.shop.internal/orders"}

# file: tools.py
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track_order"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return (Path(__file__).parent / "shop.json").read_text()
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of

CODE: Final = "lua/secret-in-bundle"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    kind, fingerprint = finding.facts.get("name", ""), finding.facts.get("fingerprint", "")
    help_ = (
        f"revoke it, and read the new one from the environment; if it is none: lua push --allow-secret {fingerprint}"
    )
    return diagnostic_of(finding, CODE, SEVERITY, f"a secret is bundled ({kind})", help_)
