"""The skill `globex`: what the model may say about Globex's goods."""

from lua_cli import LuaSkill

from skills.tools.globex_catalogue import SearchGlobexCatalogue

globex = LuaSkill(
    name="globex",
    description="Globex: laboratory supplies",
    context=(
        "Globex sells laboratory supplies. Call search_globex_catalogue for a question about glassware, scales or "
        "reagents. Globex's prices are in US dollars, without tax; say so when you name one."
    ),
    tools=[SearchGlobexCatalogue()],
)
