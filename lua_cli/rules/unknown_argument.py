"""A skill, an agent or a flow tool is given an argument that it does not have.

Python raises `TypeError: … got an unexpected keyword argument` when the agent is imported. It is almost always a typo,
and what it costs is large: with `tool=[…]` for `tools=[…]` the skill would have no tools.

What to do: write the name that is meant. `LuaSkill` takes `name`, `description`, `context`, `tools`, `instructions` and
`condition`; `LuaAgent` takes `name`, `persona`, `skills`, `model`, `max_iterations` and `mcp_servers`; `FlowTool`
takes `flow`, `name`, `description`, `input_schema` and `voice_flags`.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", description="Orders", context="Be brief.", contxt="Ask for the number.")
agent = LuaAgent(name="acme", persona="You help customers.", skills=[orders])
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", description="Orders", context="Be brief. Ask for the number.")
agent = LuaAgent(name="acme", persona="You help customers.", skills=[orders])
```
"""

from __future__ import annotations

from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.wording import diagnostic_of, near

CODE: Final = "lua/unknown-argument"
SEVERITY: Final = "error"


def from_finding(finding: Finding) -> Diagnostic:
    facts = finding.facts
    message = f"{facts['expression']} takes no argument `{facts['name']}`"
    return diagnostic_of(finding, CODE, SEVERITY, message, near(finding, f"it takes {facts['reason']}"))
