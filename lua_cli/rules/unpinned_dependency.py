"""A package is imported whose version nothing pins.

Packages are not bundled but pinned: the artifact says which distribution and version the import needs, as the lock file
has it, or as it is installed. This one is not installed, or no installed distribution says that the module is its own,
so where the tool runs nobody knows what to install. An import name says nothing about the distribution (`yaml` is
PyYAML's), and none is guessed.

What to do: install the distribution into the project's environment. What the tool can do without belongs into
`try: … except ImportError: …`.

Bad:

```python
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
        import slugs_of_acme

        return [slugs_of_acme.of(input.text)]
```

Good:

```python
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
        try:
            import slugs_of_acme
        except ImportError:
            return [input.text.lower()]
        return [slugs_of_acme.of(input.text)]
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import because, diagnostic_of, subject

CODE: Final = "lua/unpinned-dependency"
SEVERITY: Final = "warning"
LATER = True


def from_finding(finding: Finding) -> Diagnostic:
    what = subject(finding, "a package")
    help_ = "install the distribution that has it into the project's environment"
    return diagnostic_of(finding, CODE, SEVERITY, f"nothing pins {what}{because(finding)}", help_)
