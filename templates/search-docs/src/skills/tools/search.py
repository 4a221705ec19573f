"""The tool `search_acme_docs`."""

from lua_cli import LuaTool
from pydantic import BaseModel, Field

from acme.library import load_documents
from acme.ranking import passage, rank


class SearchQuery(BaseModel):
    query: str = Field(min_length=1, max_length=200, description="The words to look for, for example: refund policy")
    limit: int = Field(default=3, ge=1, le=10, description="How many documents to give at most")


class AcmeSearchTool(LuaTool[SearchQuery]):
    name = "search_acme_docs"
    description = (
        "Search Acme's documents and get the best matches, each with the passage that fits. "
        "Use when a question is about Acme's products, prices, shipping, refunds or warranty."
    )
    input_schema = SearchQuery

    async def execute(self, input: SearchQuery) -> dict[str, object]:
        found = rank(input.query, load_documents())[: input.limit]
        return {
            "query": input.query,
            "results": [
                {"id": document.id, "title": document.title, "passage": passage(input.query, document)}
                for document in found
            ],
        }
