"""A registered skill tells the model nothing about itself.

The context is in the prompt on every turn while the skill is active: it says when to use which tool. Without it, and
without `instructions` that the model can load on demand, the model does not know that the skill is there.

What to do: write a `context` (a string, or `{"base": …, "voice": …, "text": …}` with at least one of the three), or
name a Markdown file in `instructions`.

Bad:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", description="Orders and deliveries.")
agent = LuaAgent(name="acme", skills=[orders])
```

Good:

```python
# file: agent.py
from lua_cli import LuaAgent, LuaSkill

orders = LuaSkill(name="orders", description="Orders and deliveries.", context="Help with orders on their way.")
agent = LuaAgent(name="acme", skills=[orders])
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lua_cli.analysis.model import Attribute
from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context

CODE: Final = "lua/skill-context-missing"
SEVERITY: Final = "error"

CHANNELS = ("base", "voice", "text")


def check(context: Context) -> Iterator[Diagnostic]:
    for skill in context.skills:
        fault = _fault(skill.attributes["context"])
        if fault is None or (
            skill.attributes["instructions"].state != "missing" and fault in ("no context", "an empty context")
        ):
            continue
        label = f"the skill `{skill.name}`" if skill.name else "the skill"
        yield Diagnostic(
            CODE,
            SEVERITY,
            f"{label} has {fault}",
            skill.attributes["context"].place or skill.place,
            help="say in `context` when to use which tool, or name a Markdown file in `instructions`",
        )


def _fault(context: Attribute) -> str | None:
    """What is wrong with a context, as the end of "the skill has …"; None when nothing is, or when it is not known."""
    value = context.value
    if context.state == "missing" or (context.state == "known" and value is None):
        return "no context"
    if context.state != "known":
        return None
    if isinstance(value, str):
        return None if value.strip() else "an empty context"
    if not isinstance(value, dict):
        return f"a context that is neither a string nor a dict but {type(value).__name__}"
    unknown = [str(key) for key in value if key not in CHANNELS]
    if unknown:
        return f"a context with the unknown channel `{unknown[0]}` (there are base, voice and text)"
    if any(isinstance(value.get(channel), str) and value[channel].strip() for channel in CHANNELS):
        return None
    return "a context with none of base, voice and text"
