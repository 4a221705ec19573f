"""LuaAgent: the agent that the entry file registers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lua_cli.sdk.skill import ChannelText, LuaSkill


class LuaAgent:
    """An agent: who it is, and which skills it has. The entry file binds one: `agent = LuaAgent(...)`.

    name            the agent's name
    persona         who it is and how it speaks: the first part of the prompt. A string, or by channel as a skill's
    context
    skills          `[orders, refunds]`; a skill that no agent holds is not bundled
    model           "provider/model", the default of `lua chat`
    max_iterations  how many model calls one turn may take
    mcp_servers     MCP servers whose tools the agent may use: {"name", "command", "args", "env"} or {"name", "url"}
    """

    def __init__(
        self,
        name: str,
        persona: str | ChannelText = "",
        skills: Iterable[LuaSkill] = (),
        *,
        model: str | None = None,
        max_iterations: int = 8,
        mcp_servers: Sequence[Any] = (),
    ) -> None:
        self.name = name
        self.persona = persona
        self.skills: list[LuaSkill] = list(skills)
        self.model = model
        self.max_iterations = max_iterations
        self.mcp_servers = tuple(mcp_servers)

    def __repr__(self) -> str:
        return f"LuaAgent({self.name!r}, skills={[skill.name for skill in self.skills]!r})"
