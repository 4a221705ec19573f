"""The agent: who it is, and the skills that it has. `lua compile` starts here."""

from lua_cli import LuaAgent

from skills.orders import orders
from skills.refunds import refunds

agent = LuaAgent(
    name="orders-agent",
    persona=(
        "You help the customers of a shop that sells garden tools. You are friendly and brief, you never guess "
        "about an order, and you hand over to a colleague when you cannot help."
    ),
    skills=[orders, refunds],
)
