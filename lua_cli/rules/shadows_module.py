"""A file has the name of a module of the standard library or of an installed package.

A `json.py` at an import root is what every `import json` of the project and of its packages gets, and the failure shows
up somewhere else. A tool's file of such a name in a folder works until that folder is on the path: when the file is
started directly, or moved.

What to do: rename the file for what it does.

Bad:

```python
# file: json.py
from pydantic import BaseModel

from lua_cli import LuaTool


class Document(BaseModel):
    text: str


class ReadDocument(LuaTool[Document]):
    name = "read_document"
    description = "Read a document that the customer pasted. Use when a message holds one."
    input_schema = Document

    def execute(self, input: Document) -> str:
        return input.text

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from json import ReadDocument

documents = LuaSkill(name="documents", context="Use read_document for pasted documents.", tools=[ReadDocument()])
agent = LuaAgent(name="acme", skills=[documents])
```

Good:

```python
# file: documents.py
from pydantic import BaseModel

from lua_cli import LuaTool


class Document(BaseModel):
    text: str


class ReadDocument(LuaTool[Document]):
    name = "read_document"
    description = "Read a document that the customer pasted. Use when a message holds one."
    input_schema = Document

    def execute(self, input: Document) -> str:
        return input.text

# file: agent.py
from lua_cli import LuaAgent, LuaSkill

from documents import ReadDocument

documents = LuaSkill(name="documents", context="Use read_document for pasted documents.", tools=[ReadDocument()])
agent = LuaAgent(name="acme", skills=[documents])
```
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.rules.judging.context import Context

CODE: Final = "lua/shadows-module"
SEVERITY: Final = "warning"


def check(context: Context) -> Iterator[Diagnostic]:
    holders = {tool.info.module for tool in context.tools}
    for dotted, path in context.analysis.modules.items():
        parts = dotted.split(".")
        if len(parts) > 1 and dotted not in holders:
            continue  # a helper in a package is nobody's concern: it is imported by its whole name
        shadowed = _shadowed(context, parts[-1])
        if shadowed:
            message = f"`{path}` has the name of {shadowed}"
            yield Diagnostic(CODE, SEVERITY, message, Place(path, 1, 1, 1, 1), help="rename the file for what it does")


def _shadowed(context: Context, name: str) -> str | None:
    if name == "__main__":
        return None
    if name in sys.stdlib_module_names:
        return f"the standard library's `{name}`"
    for folder in context.project.interpreter.packages:
        entries = context.index.finder.entries(folder)
        if f"{name}.py" in entries or (name in entries and (folder / name / "__init__.py").is_file()):
            return f"the installed package `{name}`"
    return None
