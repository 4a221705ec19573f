"""The skill `opening-hours`: its tools, and what the model should know about using them."""

from lua_cli import LuaSkill

from skills.tools.get_opening_hours import GetOpeningHours

opening_hours = LuaSkill(
    name="opening-hours",
    description="When the shop is open",
    context=(
        "Call get_opening_hours whenever a customer asks when the shop is open, closed or opens again. "
        "Never answer such a question from memory: the hours change."
    ),
    tools=[GetOpeningHours()],
)
