"""The project's only lock file has a format that is not read.

Versions are taken from `pylock.toml`, `uv.lock`, or a `requirements.txt` in which every line is pinned. With another
lock alone, the artifact pins what is installed here, which may be something else.

What to do: export what the lock pins: `poetry export -o requirements.txt`, `pdm export -f pylock -o pylock.toml`,
`pipenv requirements > requirements.txt`.

Bad:

```python
# file: pyproject.toml
[project]
name = "acme-agent"
version = "1.0.0"
dependencies = ["lua-cli", "httpx"]

[tool.lua]

# file: poetry.lock
[metadata]
lock-version = "2.1"

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
from lua_cli.rules.judging.wording import diagnostic_of

CODE: Final = "lua/lock-unread"
SEVERITY: Final = "warning"
LATER = True

_EXPORTS: Final = {
    "poetry.lock": "poetry export -o requirements.txt",
    "pdm.lock": "pdm export -f pylock -o pylock.toml",
    "Pipfile.lock": "pipenv requirements > requirements.txt",
}


def from_finding(finding: Finding) -> Diagnostic:
    file = finding.facts.get("name", "the lock")
    message = f"{file} is not read: the artifact pins the versions that are installed here"
    help_ = f"export what it pins: `{_EXPORTS[file]}`" if file in _EXPORTS else "write a pylock.toml or a uv.lock"
    return diagnostic_of(finding, CODE, SEVERITY, message, help_)
