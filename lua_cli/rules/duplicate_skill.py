"""Two skills of the project have the same name, or one is on an agent twice.

A skill is pushed, deployed and stored under its name: one of the two artifacts would replace the other. Names that
differ only by case collide on the file systems of macOS and Windows.

What to do: rename one of them, or register the skill once.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", context="Help with orders that are on their way.")
returns = LuaSkill(name="orders", context="Help with orders that come back.")
agent = LuaAgent(name="acme", skills=[orders, returns])
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

from lua_cli.analysis.model import SkillInfo
from lua_cli.diagnostics import Diagnostic, Related
from lua_cli.rules.judging.context import Context

CODE: Final = "lua/duplicate-skill"
SEVERITY: Final = "error"


def check(context: Context) -> Iterator[Diagnostic]:
    first: dict[str, SkillInfo] = {}
    for skill in context.skills:
        before = first.setdefault(skill.name, skill) if skill.name else skill
        if before is not skill:
            place = skill.attributes["name"].place or skill.place
            related = (Related(before.place, "the other one"),)
            message = f"two skills are called `{skill.name}`"
            yield Diagnostic(CODE, SEVERITY, message, place, help="rename one of them", related=related)
    for agent in context.analysis.agents:
        for position in sorted({position for position in agent.skills if agent.skills.count(position) > 1}):
            skill = context.analysis.skills[position]
            message = f"the agent has the skill `{skill.name}` twice"
            related = (Related(skill.place, "the skill"),)
            yield Diagnostic(CODE, SEVERITY, message, agent.place, help="list it once", related=related)
