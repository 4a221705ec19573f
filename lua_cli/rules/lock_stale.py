"""The lock file is older than the dependencies in pyproject.toml.

A dependency was added, removed or given another version after the lock was written. The artifact pins what the lock
says, so what runs after a push is not what pyproject.toml asks for.

With `--ci` this is an error: a build on another machine would not be the one that was meant.

What to do: write the lock again and install from it: `uv lock`, `uv sync`. For other formats the command of their tool:
`pip lock`, `pip-compile`.

Bad:

```python
# file: pyproject.toml
[project]
name = "acme-agent"
version = "1.0.0"
dependencies = ["lua-cli", "httpx"]

[tool.lua]

# file: uv.lock
version = 1

[[package]]
name = "acme-agent"
version = "1.0.0"
source = { virtual = "." }

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
from lua_cli.rules.judging.wording import because, diagnostic_of

CODE: Final = "lua/lock-stale"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    file = finding.facts.get("file", "the lock")
    what = finding.facts.get("name", "")
    message = f"{file} is older than pyproject.toml about `{what}`{because(finding)}"
    written = "`uv lock`, `uv sync`" if file == "uv.lock" else "lock the dependencies with the tool that wrote it"
    return diagnostic_of(finding, CODE, SEVERITY, message, f"write {file} again and install from it: {written}")
