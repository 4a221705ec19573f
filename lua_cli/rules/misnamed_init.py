"""A folder has a file that was probably meant to be its `__init__.py`.

A folder without `__init__.py` is a package all the same, so that its modules are found; but what stands in an `init.py`
never runs, and the names that it was to offer are missing where they are asked for.

What to do: rename the file to `__init__.py`. A module that is really called `init` is fine once something imports it.

Bad:

```python
# file: tools/init.py
LIMIT = 10

# file: tools/search.py
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

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from tools.search import SearchDocs

docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[SearchDocs()])
agent = LuaAgent(name="acme", skills=[docs])
```

Good:

```python
# file: tools/__init__.py
LIMIT = 10

# file: tools/search.py
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

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from tools.search import SearchDocs

docs = LuaSkill(name="docs", context="Use search_docs for questions about the product.", tools=[SearchDocs()])
agent = LuaAgent(name="acme", skills=[docs])
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.rules.judging.context import Context

CODE: Final = "lua/misnamed-init"
SEVERITY: Final = "warning"

_MISNAMED = re.compile(r"_*init_*\.py|_+(?:int|inti|ini)_+\.py", re.IGNORECASE)


def check(context: Context) -> Iterator[Diagnostic]:
    own = context.own_paths
    for folder in sorted(set(_package_folders(context))):
        entries = context.index.finder.entries(context.project.root / folder)
        if "__init__.py" in entries:
            continue
        for entry in sorted(entries):
            path = f"{folder}/{entry}"
            if _MISNAMED.fullmatch(entry) and path not in own:
                message = f"`{path}` looks like a misnamed `__init__.py`: `{folder}` has none, so it never runs"
                help_ = "rename it to `__init__.py`"
                yield Diagnostic(CODE, SEVERITY, message, Place(path, 1, 1, 1, 1), help=help_)


def _package_folders(context: Context) -> Iterator[str]:
    """The folders that are packages of the project's modules."""
    for dotted, path in context.analysis.modules.items():
        folder = path.rpartition("/")[0]
        depth = dotted.count(".") + path.endswith("/__init__.py")
        for _ in range(depth):
            yield folder
            folder = folder.rpartition("/")[0]
