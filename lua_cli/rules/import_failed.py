"""A tool's module could not be imported out of the artifact.

After bundling, the artifact is imported in a process of its own, without the project, the network or a working folder:
just as it will be where it runs. Whatever raises there would raise in production: a file that was not bundled, a
variable that is not set, a package that is missing.

What to do: follow the traceback. Do work in `execute`, not at the top level of a module; name data files by literal
paths (`Path(__file__).parent / "rates.json"`) or in `[tool.lua] include`; name variables plainly.

Bad:

```python
import json
from pathlib import Path

from pydantic import BaseModel

from lua_cli import LuaTool


RATES = json.loads((Path.cwd() / "rates.json").read_text())


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

import builtins
import re
from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic, Place, Related
from lua_cli.records import replace
from lua_cli.rules.judging.wording import because, diagnostic_of

CODE: Final = "lua/import-failed"
SEVERITY: Final = "error"
LATER = True


_TOP_LEVEL = "do work in `execute` rather than at the top level of the module"
_UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")


def from_finding(finding: Finding) -> Diagnostic:
    what = finding.facts.get("name", "the artifact")
    help_ = finding.facts.get("advice") or _undefined(finding.facts.get("reason", "")) or _TOP_LEVEL
    message = f"{what} cannot be imported out of the artifact{because(finding)}"
    diagnostic = diagnostic_of(finding, CODE, SEVERITY, message, help_)
    return replace(diagnostic, related=diagnostic.related + tuple(_frames(finding)))


def _undefined(reason: str) -> str:
    """The hint for a name that is not there; "" for another failure."""
    found = _UNDEFINED.search(reason)
    if found is None:
        return ""
    import difflib

    near = difflib.get_close_matches(found[1], dir(builtins), n=1)
    return f"did you mean `{near[0]}`?" if near else f"import `{found[1]}`, or define it above its first use"


def _frames(finding: Finding) -> Iterator[Related]:
    """The traceback, the user's own frames only: the innermost last, as Python prints it."""
    for path, line, name in re.findall(r"^(.+):(\d+) in (.+)$", finding.facts.get("frames", ""), re.MULTILINE):
        yield Related(Place(path, int(line), 1, int(line), 1), f"in {name}")
