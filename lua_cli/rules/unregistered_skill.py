"""A skill is not registered on an agent, so it is not in the product.

Only the skills that an agent of the entry file holds are bundled. A skill that exists but is registered nowhere looks
finished and never runs.

What to do: add it to `skills=[…]` of the agent, or delete it.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way.")
returns = LuaSkill(name="returns", context="Help with orders that come back.")
agent = LuaAgent(name="acme", skills=[orders])
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way.")
returns = LuaSkill(name="returns", context="Help with orders that come back.")
agent = LuaAgent(name="acme", skills=[orders, returns])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, within

CODE: Final = "lua/unregistered-skill"
SEVERITY: Final = "warning"


def check(context: Context) -> Iterator[Diagnostic]:
    analysis = context.analysis
    if not analysis.agents or _some_not_known(context):
        return
    for skill in analysis.skills:
        if skill.registered or not context.is_own(skill.place):
            continue
        label = f"the skill `{skill.name}`" if skill.name else "this skill"
        agent = analysis.agents[0].variable or "the agent"
        yield Diagnostic(
            CODE,
            SEVERITY,
            f"{label} is not registered on an agent and is not bundled",
            skill.place,
            help=f"add `{skill.variable or '…'}` to `skills=[…]` of `{agent}`, or delete it",
        )


def _some_not_known(context: Context) -> bool:
    """Whether an agent's list of skills has elements that the analysis could not tell; it has said so."""
    return any(
        finding.code in ("lua/unresolved-primitive-ref", "lua/ambiguous-binding") and within(finding.place, agent.call)
        for finding in context.analysis.findings
        for agent in context.analysis.agents
    )
