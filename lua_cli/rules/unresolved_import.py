"""An import names a module or a name that is not there.

When the artifact is imported, the same import raises ModuleNotFoundError or ImportError, and no tool of that file can
run.

What to do: mend the name, or install the package into the project's environment and add it to `[project] dependencies`.
A dependency that may be absent belongs into `try: … except ImportError: …`.

Bad:

```python
# file: tools.py
from delivery_dates import delivery_date
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> str:
        return delivery_date(input.text)
```

Good:

```python
# file: delivery_dates.py
def delivery_date(number: str) -> str:
    return "tomorrow"

# file: tools.py
from delivery_dates import delivery_date
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    def execute(self, input: Query) -> str:
        return delivery_date(input.text)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.records import replace
from lua_cli.rules.judging.wording import because, diagnostic_of, near, subject

if TYPE_CHECKING:
    from lua_cli.project import Interpreter
    from lua_cli.rules.judging.context import Context

CODE: Final = "lua/unresolved-import"
SEVERITY: Final = "error"
_SHOWN = 5
_ABSENT, _CIRCLE = "is neither in the project nor installed", "the imports form a circle"


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "this")
    help_ = near(finding, "mend the name, or install the package that has it into the project's environment")
    if _ABSENT in finding.facts.get("reason", ""):
        help_ += f"; as it is, a run raises ModuleNotFoundError: No module named '{finding.facts['name']}'"
    return diagnostic_of(finding, CODE, SEVERITY, f"cannot import {what}{because(finding)}", help_)


def amend(diagnostic: Diagnostic, finding: Finding, context: Context) -> Diagnostic:
    """A circle is shown as the way around. A Python without pydantic is one thing to mend, however many files import
    it: one error, at the first place.
    """
    if _CIRCLE in finding.facts.get("reason", ""):
        return _with_circle(diagnostic, finding, context)
    if not _wants_pydantic(finding):
        return diagnostic
    places = sorted(one.place for one in context.analysis.findings if one.code == CODE and _wants_pydantic(one))
    python = context.project.interpreter
    shown = context.project.relative(python.executable)
    return replace(
        diagnostic,
        place=places[0],
        message=f"pydantic is not installed for {shown}, the Python of this project ({python.why})",
        help=f"install it there: `{_installing(shown, python)}`, or choose another Python with `python` in [tool.lua]",
        related=tuple(Related(place, "imported here too") for place in places[1:_SHOWN]),
    )


def _with_circle(diagnostic: Diagnostic, finding: Finding, context: Context) -> Diagnostic:
    from lua_cli.rules.judging.circles import way_around

    steps = way_around(context, finding.facts["name"], finding.place)
    way = "".join(f"{place.path}:{place.line} -> " for place in steps) + steps[0].path if steps else ""
    message = f"{diagnostic.message}: {way}" if way else diagnostic.message
    return replace(diagnostic, message=message, help="move one of these imports into the function that needs it")


def _wants_pydantic(finding: Finding) -> bool:
    return finding.facts.get("name") == "pydantic"


def _installing(shown: str, python: Interpreter) -> str:
    """What to type: an environment that was made without pip has uv."""
    if any((folder / "pip").is_dir() for folder in python.packages):
        return f"{shown} -m pip install pydantic"
    return f"uv pip install --python {shown} pydantic"
