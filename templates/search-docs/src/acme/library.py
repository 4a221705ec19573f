"""Acme's documents, read from documents.json beside this file. Put your own in their place."""

from functools import cache
from pathlib import Path

from pydantic import BaseModel, TypeAdapter


class Document(BaseModel):
    id: str
    title: str
    text: str


@cache
def load_documents() -> tuple[Document, ...]:
    text = (Path(__file__).parent / "documents.json").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Document, ...]).validate_json(text)
