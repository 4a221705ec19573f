"""The project's own code imports a compiled extension module.

A compiled module (`.so`, `.pyd`) runs on one system and one Python. An artifact is the same file everywhere, so it
holds sources alone.

What to do: make the extension a package of its own, with wheels for the systems that it is meant for, install it, and
add it to `[project] dependencies`: it is then pinned rather than bundled.

Bad:

```python
# file: fast_search.abi3.so
(compiled)

# file: tools.py
import fast_search
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return fast_search.find(input.text)
```

Good:

```python
# file: fast_search.py
def find(text: str) -> list[str]:
    return []

# file: tools.py
import fast_search
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return fast_search.find(input.text)
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of

CODE: Final = "lua/native-extension"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    name = finding.facts.get("name", "a module")
    help_ = "install it as a package with wheels, and add it to [project] dependencies"
    message = f"`{name}` is a compiled module of the project{because(finding)}"
    return diagnostic_of(finding, CODE, SEVERITY, message, help_)
