"""A registered skill has no name.

The name is how a skill is pushed, deployed and shown; without one there is nothing to store it under. `LuaSkill()`
without `name` raises TypeError.

What to do: give it a short name: `LuaSkill(name="orders", …)`.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="", context="Help with orders that are on their way.")
agent = LuaAgent(name="acme", skills=[orders])
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way.")
agent = LuaAgent(name="acme", skills=[orders])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context

CODE: Final = "lua/skill-name-missing"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    for skill in context.skills:
        name = skill.attributes["name"]
        if name.state == "missing":
            message = "the skill has no name"
        elif name.state == "known" and name.text is None:
            message = f"the skill's name must be a string, got {type(name.value).__name__}"
        elif name.text is not None and not name.text.strip():
            message = "the skill's name is empty"
        else:
            continue
        example = skill.variable or "orders"
        yield Diagnostic(CODE, SEVERITY, message, name.place or skill.place, help=f'write `name="{example}"`')
