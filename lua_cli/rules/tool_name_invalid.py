"""A tool's name has a character that models refuse, or is too long.

Every model provider checks tool names before it reads anything else: a name that does not match `^[a-zA-Z0-9_-]+$` or
is longer than 64 characters makes it refuse the whole request, with an error that often names only a position in a
list. `LuaSkill` raises `ValueError: Invalid tool name` for it when the agent is imported.

What to do: use the letters a–z, digits, `_` and `-` alone. Text for people belongs into `description`, in any language.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track.order"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return "on its way"
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Order(BaseModel):
    number: str


class TrackOrder(LuaTool[Order]):
    name = "track_order"
    description = "Tell where an order is. Use when the customer asks for its delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return "on its way"
```
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/tool-name-invalid"
SEVERITY: Final = "error"

LONGEST = 64
_ALLOWED = re.compile(r"[a-zA-Z0-9_-]")
_VALID = re.compile(rf"[a-zA-Z0-9_-]{{1,{LONGEST}}}")


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        name = tool.info.attributes["name"]
        fault = fault_of(name.text) if name.text is not None else None
        if fault is None:
            continue
        owner = short(name.owner or tool.info.dotted)
        suggestion = suggested(name.text or "")
        yield Diagnostic(
            CODE,
            SEVERITY,
            f"the tool name {name.text!r} of {owner} {fault}",
            context.place_of(name, tool),
            help=f'rename it, for example `name = "{suggestion}"`'
            if suggestion
            else "letters, digits, `_` and `-` alone",
        )


def fault_of(name: str) -> str | None:
    """What is wrong with a name, as the end of a sentence that begins with it; None for a valid one."""
    if _VALID.fullmatch(name):
        return None
    if not name:
        return "is empty"
    foreign = dict.fromkeys(character for character in name if not _ALLOWED.fullmatch(character))
    if foreign:
        listed = ", ".join(_described(character) for character in list(foreign)[:5])
        return f"has {listed}; only a–z, A–Z, 0–9, `_` and `-` are allowed"
    return f"has {len(name)} characters; the limit is {LONGEST}"


def suggested(name: str) -> str | None:
    """A valid name close to an invalid one, when there is anything to keep."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    plain = re.sub(r"[^a-zA-Z0-9_-]+", "_", plain).strip("_").lower()[:LONGEST].rstrip("_-")
    return plain or None


def _described(character: str) -> str:
    """A character by its code point and name, so that an invisible one is seen too."""
    name = unicodedata.name(character, "a control character")
    visible = f"`{character}` " if character.isprintable() and not character.isspace() else ""
    return f"{visible}U+{ord(character):04X} ({name.lower()})"
