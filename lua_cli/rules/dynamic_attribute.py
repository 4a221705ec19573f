"""A value that goes into the artifact is only known when the code runs.

The compiler reads a tool's name, description and voice flags, and a skill's name, description, context, instructions
and condition, without running anything: what it lists, packs and pushes must not depend on who compiles, or when. A
property, a call, an environment variable or a value set in `__init__` is only known at run time.

What to do: assign a constant in the class body: a literal, a concatenation, an f-string over constants, or another
class's constant. To decide at run time whether a tool is offered, write a `condition`.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query

    @property
    def name(self) -> str:
        return f"search_{type(self).__name__.lower()}"

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
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query
    name = "search_docs"

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import Attribute
from lua_cli.diagnostics import Diagnostic, Place, Related
from lua_cli.rules.judging.context import Context, short, within

CODE: Final = "lua/dynamic-attribute"
SEVERITY: Final = "error"

TOOL_ATTRIBUTES = ("name", "description", "voice_flags")
SKILL_ATTRIBUTES = ("name", "description", "context", "instructions")


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tools:
        if tool.info.mro is None:
            continue  # nothing is known of the class: another finding says why
        for key in TOOL_ATTRIBUTES:
            attribute = tool.info.attributes[key]
            if attribute.state == "dynamic" and not _said_already(context, tool.info.mro, attribute):
                owner = short(attribute.owner or tool.info.dotted)
                related = () if attribute.owner else (Related(tool.info.place, "the class"),)
                yield _diagnostic(f"{owner}.{key}", attribute, context.place_of(attribute, tool), related)
    for skill in context.skills:
        for key in SKILL_ATTRIBUTES:
            attribute = skill.attributes[key]
            if skill.folder is not None and skill.folder.state == "dynamic":
                continue  # the folder cannot be used: another finding says why
            if attribute.state in ("dynamic", "reference"):
                yield _diagnostic(f"the skill's {key}", attribute, attribute.place or skill.place, ())
        if skill.condition_unknown:
            message = f"the skill's condition cannot be resolved: {skill.condition_unknown}"
            yield Diagnostic(
                CODE, SEVERITY, message, skill.place, help="name a function of a module: `condition=is_open`"
            )


def _diagnostic(what: str, attribute: Attribute, place: Place, related: tuple[Related, ...]) -> Diagnostic:
    reason = f": {attribute.reason}" if attribute.reason else ""
    help_ = f"assign a constant to `{attribute.name}`"
    return Diagnostic(CODE, SEVERITY, f"{what} is only known when the code runs{reason}", place, help_, related=related)


def _said_already(context: Context, mro: tuple[str, ...], attribute: Attribute) -> bool:
    """A finding about the class itself (its decorator, a later assignment) says why the value is not known."""
    statements = [context.analysis.classes[dotted].statement for dotted in mro if dotted in context.analysis.classes]
    for finding in context.analysis.findings:
        if finding.code == "lua/runtime-mutation" and finding.place == attribute.place:
            return True
        if finding.code == "lua/dynamic-class" and any(within(finding.place, statement) for statement in statements):
            return True
    return False
