"""The skill `docs`: its tools, and what the model should know about using them together."""

from lua_cli import LuaSkill

from skills.tools.read import ReadAcmeDoc
from skills.tools.search import AcmeSearchTool

docs = LuaSkill(
    name="docs",
    description="What Acme's documents say",
    context=(
        "Answer questions about Acme from its documents.\n"
        "- Call search_acme_docs first, with the words that matter instead of the whole question.\n"
        "- A passage that it finds is a few lines. When they do not hold the answer, call read_acme_doc with the id of "
        "the best match.\n"
        "- Nothing found: try once more with other words, then say that the documents do not answer it.\n"
        "Name the title of the document that you used."
    ),
    tools=[AcmeSearchTool(), ReadAcmeDoc()],
)
