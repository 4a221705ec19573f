"""A tool's voice flags are none that there are.

`voice_flags` is a set of `"ignore_on_enter"` and `"disallow_interruption"`. Nothing reads any other flag, and a text
alone is no set: the tool would be called as one without flags.

What to do: write the flags that are meant, in a set: `voice_flags = {"ignore_on_enter"}`.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Query(BaseModel):
    text: str


class SearchDocs(LuaTool[Query]):
    name = "search_docs"
    description = "Search the product documentation. Use when the customer asks how something works."
    input_schema = Query
    voice_flags = {"ignore_on_entr"}

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
    voice_flags = {"ignore_on_enter"}

    def execute(self, input: Query) -> list[str]:
        return []
```
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, short
from lua_cli.rules.judging.nearness import meant

CODE: Final = "lua/voice-flags"
SEVERITY: Final = "warning"

FLAGS = ("ignore_on_enter", "disallow_interruption")


def check(context: Context) -> Iterator[Diagnostic]:
    for tool in context.tool_classes:
        flags = tool.info.attributes["voice_flags"]
        if flags.state != "known" or flags.value is None:
            continue
        owner, place = short(flags.owner or tool.info.dotted), context.place_of(flags, tool)
        if not isinstance(flags.value, set | frozenset | list | tuple):
            message = f"`voice_flags` of {owner} is no set of flags, and none of them counts"
            yield Diagnostic(CODE, SEVERITY, message, place, help=f'write a set: voice_flags = {{"{FLAGS[0]}"}}')
            continue
        for flag in sorted(map(str, flags.value)):
            if flag not in FLAGS:
                message = f"`voice_flags` of {owner} has the unknown flag {flag!r}"
                yield Diagnostic(CODE, SEVERITY, message, place, help=_way_out(flag))


def _way_out(flag: str) -> str:
    near = meant(flag, FLAGS) or next(iter(difflib.get_close_matches(flag, FLAGS, n=1)), None)
    return f"did you mean `{near}`?" if near else f"there are {' and '.join(f'`{one}`' for one in FLAGS)}"
