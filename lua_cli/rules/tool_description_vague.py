"""A tool's description says too little for a model to choose by it.

A description of two words, a placeholder, or the name once more tells the model nothing that it did not know: it then
calls the tool when it should not, or not when it should. This is the most frequent cause of an agent that "does not use
its tool".

What to do: say what the tool does, with what, and when to use it: "Look up the shipping status of one order by order
number. Use when the customer asks where an order is." A description that a class inherits is judged where it is
written.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Order(BaseModel):
    number: str


class GetOrderStatus(LuaTool[Order]):
    name = "get_order_status"
    description = "Gets the order status."
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


class GetOrderStatus(LuaTool[Order]):
    name = "get_order_status"
    description = "Look up where an order is by its number. Use when the customer asks for a delivery date."
    input_schema = Order

    def execute(self, input: Order) -> str:
        return "on its way"
```
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short

CODE: Final = "lua/tool-description-vague"
SEVERITY: Final = "warning"

FEWEST_WORDS = 4
_PLACEHOLDER = re.compile(r"\W*(todo|fixme|tbd|xxx|lorem ipsum|placeholder|insert description)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FILLERS = frozenset(
    "a an and any are at by can does do for from function given helps i in is it its method of on or our some tool"  # noqa: SIM905
    " that the this to use used user users using want wants what when which will with you your".split()
)


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        description = tool.info.attributes["description"]
        text = (description.text or "").strip()
        if not text or description.owner != tool.info.dotted:
            continue
        fault = _fault(text, tool.info.name or "")
        if fault:
            message = f"the description of {short(tool.info.dotted)} {fault}"
            help_ = "say what the tool does, with what, and when to use it: the model decides by this text"
            yield Diagnostic(CODE, SEVERITY, message, context.place_of(description, tool), help=help_)


@lru_cache(maxsize=2048)  # under `--watch` all but one are as they were
def _fault(text: str, name: str) -> str | None:
    if _PLACEHOLDER.match(text):
        return "is a placeholder"
    if _size(text) < FEWEST_WORDS:
        return "says neither what the tool does nor when to use it"
    said = (word.group() for word in _WORD.finditer(text.lower()))
    known = {_stem(word) for word in _WORD.findall(name.lower())}
    if all(word in _FILLERS or len(word) == 1 or _stem(word) in known for word in said):
        return "says nothing that the name does not say"
    return None


def _size(text: str) -> int:
    """How many words a text has; scripts that write without spaces count two characters a word."""
    wide = 0 if text.isascii() else sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(_JOINED.findall(text)) + wide // 2


def _stem(word: str) -> str:
    """Enough of a stem to see that "orders", "ordering" and "order" say the same."""
    for ending in ("ing", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e")
