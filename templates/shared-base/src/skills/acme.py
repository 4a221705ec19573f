"""The skill `acme`: what the model may say about Acme's goods."""

from lua_cli import LuaSkill

from skills.tools.acme_catalogue import SearchAcmeCatalogue

acme = LuaSkill(
    name="acme",
    description="Acme: garden tools and machines",
    context=(
        "Acme sells garden tools and machines. Call search_acme_catalogue for a question about mowers, hoses, shears "
        "or anything else for the garden. Acme's prices are in euros and include VAT."
    ),
    tools=[SearchAcmeCatalogue()],
)
