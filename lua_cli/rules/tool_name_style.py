"""A tool's name is not lowercase with hyphens or underscores.

Models see many tools from many sources, nearly all of them in lowercase: a name in another style is copied wrongly more
often. Names that differ only by case are told apart by neither people nor some file systems.

What to do: rename it. The fix changes the name alone; texts that mention the old name are listed, since only you know
whether they mean the tool.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "SearchDocs"
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

import re
from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import Attribute
from lua_cli.diagnostics import Diagnostic, Edit, Fix, Related
from lua_cli.rules.fixes.rewriting import with_string
from lua_cli.rules.judging.context import Context, RegisteredTool
from lua_cli.rules.tool_name_invalid import LONGEST, fault_of

CODE: Final = "lua/tool-name-style"
SEVERITY: Final = "warning"

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")


def check(context: Context) -> Iterator[Diagnostic]:
    taken = {tool.info.name for tool in context.tool_classes}
    for tool in context.tool_classes:
        attribute = tool.info.attributes["name"]
        name = attribute.text
        if name is None or fault_of(name) or name == name.lower():
            continue
        better = lowered(name)
        yield Diagnostic(
            CODE,
            SEVERITY,
            f'the tool name "{name}" is not lowercase with hyphens or underscores',
            context.place_of(attribute, tool),
            help=f"write `name: {better}`" if _in_yaml(attribute) else f'write `name = "{better}"`',
            fix=_fix(context, tool, attribute, better) if better not in taken else None,
            related=tuple(_mentions(context, name)),
        )


def lowered(name: str) -> str:
    """`SearchDocs` → `search_docs`, `get-HTTPStatus` → `get-http-status`: the separator that is there already is
    kept."""
    separator = "-" if "-" in name and "_" not in name else "_"
    return separator.join(word.lower() for word in _WORDS.findall(name))[:LONGEST]


def _fix(context: Context, tool: RegisteredTool, attribute: Attribute, better: str) -> Fix | None:
    """Rewrites the literal, when the value is one that says the name in plain."""
    place = context.place_of(attribute, tool)
    if place != attribute.place or attribute.text is None:
        return None
    written = context.source(place)
    bare = _in_yaml(attribute) and written == attribute.text
    literal = better if bare else with_string(written, attribute.text, better)
    return Fix(f"Rename the tool to `{better}`", (Edit(place, literal),)) if literal is not None else None


def _in_yaml(attribute: Attribute) -> bool:
    return attribute.place is not None and attribute.place.path.endswith((".yaml", ".yml"))


def _mentions(context: Context, name: str) -> Iterator[Related]:
    """The texts for the model that say the old name."""
    holders = [agent.attributes for agent in context.analysis.agents] + [skill.attributes for skill in context.skills]
    for attributes in holders:
        for key in ("persona", "context", "description"):
            attribute = attributes.get(key)
            if attribute is None or attribute.state != "known" or attribute.place is None:
                continue
            if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", str(attribute.value)):
                yield Related(attribute.place, f"this {key} says `{name}`: change it too (the fix does not)")
