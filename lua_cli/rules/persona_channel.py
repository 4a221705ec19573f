"""An agent's persona has a channel that there is not.

A persona is a text, or a dict of texts by channel: `base`, and `voice` or `text` with it on that channel. What stands
under any other key is never in a prompt.

What to do: write `base`, `voice` or `text`.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", description="Orders and deliveries.", context="Help with orders on their way.")
agent = LuaAgent(name="acme", persona={"base": "You help customers.", "phone": "Be brief."}, skills=[orders])
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", description="Orders and deliveries.", context="Help with orders on their way.")
agent = LuaAgent(name="acme", persona={"base": "You help customers.", "voice": "Be brief."}, skills=[orders])
```
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context
from lua_cli.rules.skill_context_missing import CHANNELS

CODE: Final = "lua/persona-channel"
SEVERITY: Final = "error"

_MEANT = {"phone": "voice", "call": "voice", "speech": "voice", "chat": "text", "default": "base"}


def check(context: Context) -> Iterator[Diagnostic]:
    for agent in context.analysis.agents:
        persona = agent.attributes["persona"]
        if persona.state != "known" or not isinstance(persona.value, dict):
            continue
        for channel in (str(key) for key in persona.value if key not in CHANNELS):
            label = f"the agent `{agent.name}`" if agent.name else "the agent"
            message = f"{label} has a persona with the unknown channel `{channel}` (there are base, voice and text)"
            yield Diagnostic(CODE, SEVERITY, message, persona.place or agent.place, help=_way_out(channel))


def _way_out(channel: str) -> str:
    near = _MEANT.get(channel.lower()) or next(iter(difflib.get_close_matches(channel.lower(), CHANNELS, n=1)), None)
    return f"did you mean `{near}`?" if near else "write `base`, `voice` or `text`"
