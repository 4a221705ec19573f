"""The lock file has no wheel of a package for the machines that run artifacts.

Artifacts run on CPython on Linux x86-64, whatever they are compiled on. The wheels that the lock file lists are for
other systems or other Pythons, or it lists none: a source distribution has to be built first, which nobody tried here,
and which fails without compilers. Nothing is downloaded to find this out.

What to do: lock a version that has a wheel for Linux x86-64, or build one and lock that. Where only `requires-python`
keeps the wheels from fitting, mend that.

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
name = "httpx"
version = "0.28.0"
source = { registry = "https://example.com/simple" }
wheels = [{ url = "https://example.com/httpx-0.28.0-cp312-cp312-macosx_11_0_arm64.whl" }]

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

CODE: Final = "lua/wheel-missing"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    name, platform = finding.facts.get("name", "a package"), finding.facts.get("platform", "Linux x86-64")
    help_ = "lock a version that has one, or build one and lock that"
    return diagnostic_of(finding, CODE, SEVERITY, f"no wheel of {name} for {platform}{because(finding)}", help_)
