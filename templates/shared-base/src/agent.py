"""The agent: who it is, and the skills that it has. `lua compile` starts here."""

from lua_cli import LuaAgent

from skills.acme import acme
from skills.globex import globex

agent = LuaAgent(
    name="shared-base-agent",
    persona="You are a wholesaler's sales desk. You answer for two suppliers, Acme and Globex, and never mix them up.",
    skills=[acme, globex],
)
