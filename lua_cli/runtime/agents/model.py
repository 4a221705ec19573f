"""An agent's facts, as plain data: what its `LuaAgent(...)` says."""

from __future__ import annotations

from collections.abc import Mapping

from lua_cli.records import record
from lua_cli.runtime.mcp.servers import ServerFacts
from lua_cli.runtime.turns.model import MAX_ITERATIONS

CHANNELS = ("text", "voice")


@record(frozen=True)
class AgentFacts:
    """An agent. `persona` is a text, or texts by channel; `skills` are names, in order."""

    name: str
    persona: str | Mapping[str, str] = ""
    skills: tuple[str, ...] = ()
    model: str | None = None
    max_iterations: int = MAX_ITERATIONS
    mcp_servers: tuple[ServerFacts, ...] = ()


def channel_text(text: str | Mapping[str, str], channel: str) -> str:
    """A text for a channel: `base`, and what is said for the channel itself."""
    if isinstance(text, str):
        return text.strip()
    parts = (text.get("base", ""), text.get(channel, ""))
    return "\n\n".join(part.strip() for part in parts if part.strip())
