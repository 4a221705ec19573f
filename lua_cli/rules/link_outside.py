"""A symbolic link leads out of the project.

What lies behind the link is not part of the project: on another machine it is another file or none, and it may be one
that nobody meant to publish.

What to do: copy the file into the project, or, for shared code, add its folder to `[tool.lua] import-roots`.

Bad:

```python
# file: shops.json
-> ../shops.json

# file: tools.py
import json
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


HERE = Path(__file__).parent


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return json.loads((HERE / "shops.json").read_text())[input.text]
```

Good:

```python
# file: shops.json
{}

# file: tools.py
import json
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


HERE = Path(__file__).parent


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> list[str]:
        return json.loads((HERE / "shops.json").read_text())[input.text]
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of

CODE: Final = "lua/link-outside"
SEVERITY: Final = "error"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    name, target = finding.facts.get("name", "a link"), finding.facts.get("reason", "elsewhere")
    help_ = "copy it into the project, or add the folder of shared code to `import-roots` in [tool.lua]"
    return diagnostic_of(finding, CODE, SEVERITY, f"`{name}` leads out of the project, to {target}", help_)
