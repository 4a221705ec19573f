"""A file is named that no artifact holds: a secret, a database, or what a machine made for itself.

Environment files (`.env`), keys, credentials, databases, version control, virtual environments, caches and native
libraries stay out, even where code or a glob of `[tool.lua] include` names them. The rest of what the glob names is
bundled.

What to do: read secrets from the environment (`env("SHOP_TOKEN")`), not from files. Name the files that are wanted
rather than everything in a folder. `.env.example` may be bundled.

Bad:

```python
# file: pyproject.toml
[tool.lua]
include = ["config/*"]

# file: config/.env
SHOP_TOKEN=secret

# file: config/shops.json
{}

# file: tools.py
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

Good:

```python
# file: pyproject.toml
[tool.lua]
include = ["config/*.json"]

# file: config/.env
SHOP_TOKEN=secret

# file: config/shops.json
{}

# file: tools.py
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
from lua_cli.rules.judging.wording import because, diagnostic_of, subject

CODE: Final = "lua/refused-file"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    help_ = "secrets come from the environment; name wanted files one by one in `include`"
    what = subject(finding, "this")
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} is never bundled{because(finding)}", help_)
