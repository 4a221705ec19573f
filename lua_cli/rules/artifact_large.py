"""The artifact of a skill is larger than its budget.

An artifact is uploaded with every push and unpacked wherever the skill runs: what is large is slow in both. Most often
a data file came along that the tool should fetch, or a glob of `include` takes too much. 50 MiB, and 10 MiB for a file,
are the limits at which nothing is bundled any more.

What to do: look at `lua compile --explain-bundle`, make the globs narrower, let the tool fetch large data. A skill that
needs what it has gets a larger budget: `[tool.lua] size-budget = "30 MiB"` (10 MiB without it).

Bad:

```python
# file: pyproject.toml
[tool.lua]
size-budget = "500 B"

# file: prices.csv
blue,1
red,2

# file: tools.py
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool

TEXT = (Path(__file__).parent / "prices.csv").read_text("utf-8")


class Query(BaseModel):
    text: str


class FindPrice(LuaTool[Query]):
    name = "find_price"
    description = "Find the price of a product by its name. Use when the customer asks what something costs."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return [line for line in TEXT.splitlines() if input.text in line]
```

Good:

```python
# file: pyproject.toml
[tool.lua]

# file: prices.csv
blue,1
red,2

# file: tools.py
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool

TEXT = (Path(__file__).parent / "prices.csv").read_text("utf-8")


class Query(BaseModel):
    text: str


class FindPrice(LuaTool[Query]):
    name = "find_price"
    description = "Find the price of a product by its name. Use when the customer asks what something costs."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return [line for line in TEXT.splitlines() if input.text in line]
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of

CODE: Final = "lua/artifact-large"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    message = f"the artifact of skill `{finding.facts.get('name', '')}` is large{because(finding)}"
    help_ = "let the tool fetch large data, narrow `include`, or set a larger `size-budget` in [tool.lua]"
    return diagnostic_of(finding, CODE, SEVERITY, message, help_)
