"""The entry file binds no agent.

Everything starts from the agent: the skills that it holds are compiled, and nothing else.

What to do: write `agent = LuaAgent(name=…, skills=[…])` at the top level of the entry file, or name another entry in
pyproject.toml: `[tool.lua] entry = "src/agent.py"`.

Bad:

```python
# file: agent.py
from lua_cli import LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way.")
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

from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.rules.judging.context import Context

CODE: Final = "lua/agent-missing"
SEVERITY: Final = "error"

_WHY_NOT_KNOWN = ("lua/syntax-error", "lua/unresolved-import", "lua/unresolved-primitive-ref")


def check(context: Context) -> Iterator[Diagnostic]:
    analysis = context.analysis
    broken = any(
        finding.code in _WHY_NOT_KNOWN and finding.place.path == analysis.entry for finding in analysis.findings
    )
    if analysis.agents or broken:
        return
    place = Place(analysis.entry, 1, 1, 1, 1)
    help_ = 'write `agent = LuaAgent(name="…", skills=[…])`, or set `entry` in [tool.lua] of pyproject.toml'
    yield Diagnostic(CODE, SEVERITY, f"{analysis.entry} binds no LuaAgent", place, help=help_)
