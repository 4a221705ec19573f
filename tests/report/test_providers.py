"""What each provider would get for each tool."""

from __future__ import annotations

import json
from typing import Any

from lua_cli.report.providers import render_providers

SCHEMA = {
    "type": "object",
    "properties": {"to": {"$ref": "#/$defs/Address", "description": "Where to"}},
    "required": ["to"],
    "$defs": {"Address": {"type": "object", "properties": {"zip": {"type": "string"}}}},
}


def tools(**changes: Any) -> dict[str, Any]:
    tool = {"name": "ship", "description": "Ship it.", "inputSchema": SCHEMA, **changes}
    return {"tools": [tool, {**tool, "name": None}]}


def test_the_shape_of_each_api() -> None:
    found = json.loads(render_providers(tools(), ["openai", "openai-strict", "anthropic", "gemini"]))
    about = {"name": "ship", "description": "Ship it."}
    assert found["openai"] == [{"type": "function", "function": {**about, "parameters": SCHEMA}}]
    assert found["openai-strict"][0]["function"]["strict"] is True
    assert found["anthropic"] == [{**about, "input_schema": SCHEMA}]
    to = {"type": "object", "properties": {"zip": {"type": "string"}}, "description": "Where to"}
    assert found["gemini"] == [
        {**about, "parameters": {"type": "object", "properties": {"to": to}, "required": ["to"]}}
    ]


def test_a_tool_without_a_known_schema_has_no_fields() -> None:
    found = json.loads(render_providers(tools(inputSchema=None, description=None), ["anthropic"]))
    assert found["anthropic"] == [
        {"name": "ship", "description": "", "input_schema": {"type": "object", "properties": {}}}
    ]
