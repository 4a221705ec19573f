"""The lock file does not agree with what is installed, or with another lock file.

The versions in an artifact are those of the lock file. When another version is installed than it has, what was tried
here is not what will run.

What to do: write the lock file again and install from it (`uv lock`, `uv sync`). Where there are several, keep one:
`pylock.toml` comes before `uv.lock`, and other formats are not read.

Bad:

```python
# file: pyproject.toml
[tool.lua]

# file: uv.lock
version = 1

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

CODE: Final = "lua/lock-mismatch"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    said = finding.facts.get("name", "")
    what = f" about `{said}`" if said else ""
    help_ = "write the lock file again and install from it: `uv lock`, `uv sync`"
    return diagnostic_of(finding, CODE, SEVERITY, f"the lock does not agree{what}{because(finding)}", help_)
