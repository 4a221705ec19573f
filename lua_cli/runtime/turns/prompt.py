"""What the model sees of an offer. In: an `Offer`, the conversation. Out: a `Request`. Text only; calls nobody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lua_cli.runtime.turns.model import LOAD_SKILL, Document, Message, Offer, Request, ToolSpec

_LIST_HEAD = (
    "Skills you can load. Each is a document that says how something is done; only its description is shown here. "
    f"Call {LOAD_SKILL} with its name and read it before you answer or act in that matter:"
)


def system_text(offer: Offer) -> str:
    """The system prompt: the offer's own, then the list of documents."""
    return "\n\n".join(part for part in (offer.prompt.strip(), document_list(offer.documents)) if part)


def document_list(documents: Sequence[Document]) -> str:
    """The part of the prompt that lists documents; "" without any."""
    if not documents:
        return ""
    lines = [f"- {each.name}: {' '.join(each.description.split())}".removesuffix(": ") for each in documents]
    return "\n".join([_LIST_HEAD, *lines])


def load_skill_spec(documents: Sequence[Document]) -> ToolSpec:
    """The tool that loads a document, with an enum of their names."""
    properties: dict[str, Any] = {"name": {"type": "string", "enum": [document.name for document in documents]}}
    about = "Load a skill: gives the text of its document. Load it before you answer or act in its matter."
    if any(document.files for document in documents):
        told = "A file that the document lists; leave it out for the document itself."
        properties["file"] = {"type": "string", "description": told}
    schema = {"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False}
    return ToolSpec(LOAD_SKILL, about, schema)


def tool_specs(offer: Offer) -> tuple[ToolSpec, ...]:
    """The tools as the model sees them, `load_skill` last where there are documents."""
    own = tuple(tool.spec for tool in offer.tools)
    return (*own, load_skill_spec(offer.documents)) if offer.documents else own


def first_request(offer: Offer, messages: Sequence[Message]) -> Request:
    """The first request of a turn: exactly what the model sees."""
    return Request(system_text(offer), tuple(messages), tool_specs(offer))
