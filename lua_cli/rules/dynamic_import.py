"""A module is imported by a name that only a run knows.

The artifact holds the modules that imports name, and those that `importlib.import_module` names by a literal. What an
expression will import cannot be read off the source, so it is not bundled, and the import fails where the tool runs.

What to do: name the modules in `[tool.lua] include-modules`. This is said as long as none of them begins like the
expression (`plugins.`); when the expression has no literal beginning, any module there will do. If nothing of the
project is imported this way, silence the line: `# lua: ignore[dynamic-import]`.

Bad:

```python
# file: plugins/__init__.py

# file: plugins/german.py
GREETING = "Guten Tag"

# file: tools.py
from importlib import import_module

from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> str:
        return import_module(f"plugins.{input.text}").GREETING
```

Good:

```python
# file: pyproject.toml
[tool.lua]
include-modules = ["plugins.german"]

# file: plugins/__init__.py

# file: plugins/german.py
GREETING = "Guten Tag"

# file: tools.py
from importlib import import_module

from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> str:
        return import_module(f"plugins.{input.text}").GREETING
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of, subject

CODE: Final = "lua/dynamic-import"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "an expression")
    help_ = 'name the modules in [tool.lua]: include-modules = ["package.module"]'
    return diagnostic_of(finding, CODE, SEVERITY, f"what {what} imports is not bundled: only a run knows it", help_)
