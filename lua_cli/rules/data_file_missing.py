"""A data file that the code or a setting names cannot be bundled.

An artifact holds the files that are named: by a literal path beside a module (`Path(__file__).parent / "rates.json"`),
in a package (`importlib.resources.files("pkg") / "rates.json"`), or by a glob of `[tool.lua] include`. This one is not
there, is spelled otherwise, is a folder, or lies where an artifact has no place: above the import root. In the artifact
the path leads nowhere.

What to do: mend the name, move the file beside the module, or name it in `include`. For a file that the tool writes
itself while it runs, silence the line: `# lua: ignore[data-file-missing]`.

Bad:

```python
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
        return json.loads((HERE / "answers.json").read_text())[input.text]
```

Good:

```python
# file: answers.json
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
        return json.loads((HERE / "answers.json").read_text())[input.text]
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, subject

CODE: Final = "lua/data-file-missing"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    help_ = finding.facts.get("advice") or "mend the name, or create the file before it is bundled"
    what = subject(finding, "a data file")
    return diagnostic_of(finding, CODE, SEVERITY, f"{what} is not bundled{because(finding)}", help_)
