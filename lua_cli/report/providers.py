"""`lua compile --for PROVIDERS`: what each provider would get for each tool. In: the document. Out: JSON text, or
JSON-able data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lua_cli.rules.providers import dialect_of


def provider_tools(document: Mapping[str, Any], provider: str) -> list[dict[str, Any]]:
    """The tools as the provider's API takes them. A tool whose schema is not known is sent as one without fields."""
    return [_tool(tool, provider) for tool in document["tools"] if tool["name"] is not None]


def render_providers(document: Mapping[str, Any], providers: Iterable[str]) -> str:
    """One JSON document: provider → its tools."""
    tools = {provider: provider_tools(document, provider) for provider in providers}
    return json.dumps(tools, ensure_ascii=False, indent=1) + "\n"


def _tool(tool: Mapping[str, Any], provider: str) -> dict[str, Any]:
    schema = dialect_of(tool["inputSchema"] or {"type": "object", "properties": {}}, provider).schema
    about = {"name": tool["name"], "description": tool["description"] or ""}
    if provider == "anthropic":
        return {**about, "input_schema": schema}
    if provider == "gemini":
        return {**about, "parameters": schema}
    strict = {"strict": True} if provider == "openai-strict" else {}
    return {"type": "function", "function": {**about, "parameters": schema, **strict}}
