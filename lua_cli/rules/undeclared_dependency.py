"""A package is imported that the project does not declare.

It is installed here, by chance: for another package, or by hand. An environment that is made from `[project]
dependencies` does not have it. A project whose `dependencies` list nothing is not asked, and lua-cli and pydantic need
no declaration.

What to do: add the distribution to `[project] dependencies`.

Bad:

```python
# file: pyproject.toml
[project]
name = "acme-agent"
version = "1.0.0"
dependencies = ["lua-cli"]

[tool.lua]

# file: tools.py
import httpx
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return httpx.get("https://example.com", params={"q": input.text}).json()
```

Good:

```python
# file: pyproject.toml
[project]
name = "acme-agent"
version = "1.0.0"
dependencies = ["lua-cli", "httpx"]

[tool.lua]

# file: tools.py
import httpx
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return httpx.get("https://example.com", params={"q": input.text}).json()
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, subject

CODE: Final = "lua/undeclared-dependency"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    what, distribution = subject(finding, "a package"), finding.facts.get("suggestion", "it")
    help_ = f'add "{distribution}" to [project] dependencies in pyproject.toml'
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} is imported but not declared{because(finding)}", help_)
