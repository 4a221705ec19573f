"""The agent: who it is, and the skills that it has. `lua compile` starts here."""

from lua_cli import LuaAgent

from skills.opening_hours import opening_hours

agent = LuaAgent(
    name="minimal-agent",
    persona="You answer the customers of a small shop. You are friendly and brief.",
    skills=[opening_hours],
)
