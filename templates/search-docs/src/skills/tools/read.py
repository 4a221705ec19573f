"""The tool `read_acme_doc`."""

from lua_cli import LuaTool
from pydantic import BaseModel, Field

from acme.library import load_documents


class DocumentQuery(BaseModel):
    id: str = Field(description="The id of a document, as search_acme_docs gave it")


class ReadAcmeDoc(LuaTool[DocumentQuery]):
    name = "read_acme_doc"
    description = (
        "Give the whole text of one Acme document by its id. "
        "Use after a search, when the passage alone does not answer the question."
    )
    input_schema = DocumentQuery

    async def execute(self, input: DocumentQuery) -> dict[str, object]:
        for document in load_documents():
            if document.id == input.id:
                return document.model_dump()
        raise LookupError(f"There is no document {input.id!r}. Take an id from the results of search_acme_docs.")
