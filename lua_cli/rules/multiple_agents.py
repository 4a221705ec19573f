"""The entry file binds more than one agent.

A project is one agent: its skills are pushed, deployed and versioned under its id.

What to do: keep one `LuaAgent` in the entry file. Give another agent a project of its own, or an entry of its own in
another folder.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way.")
agent = LuaAgent(name="acme", skills=[orders])
night = LuaAgent(name="acme-night", skills=[orders])
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

from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.rules.judging.context import Context

CODE: Final = "lua/multiple-agents"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    agents = context.analysis.agents
    for agent in agents[1:]:
        message = f"the entry binds more than one agent: `{agents[0].variable}` and `{agent.variable}`"
        related = (Related(agents[0].place, "the first one"),)
        yield Diagnostic(CODE, SEVERITY, message, agent.place, help="keep one LuaAgent in the entry", related=related)
