"""Files of the artifact cannot live side by side, or at all, on every system.

macOS and Windows take `Rates.csv` and `rates.csv` for the same file, Windows has no file called `con.txt` or `a?.csv`,
and below two import roots two files may come to one name. An artifact has to unpack to the same files everywhere.

What to do: rename one of them.

Bad:

```python
# file: pyproject.toml
[tool.lua]
include = ["data/*.csv"]

# file: data/Rates.csv
a

# file: data/rates.csv
b

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
include = ["data/*.csv"]

# file: data/rates-of-today.csv
a

# file: data/rates.csv
b

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

CODE: Final = "lua/name-collision"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "a file")
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} cannot be bundled{because(finding)}", "rename it")
