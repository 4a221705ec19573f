"""An offer to test the loop with: two tools and two documents, no Python agent and no flow behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lua_cli.runtime.models.scripted import Scripted
from lua_cli.runtime.turns import Document, Offer, Outcome, Rules, Tool, ToolResult, ToolSpec, UserMessage, take_turn
from lua_cli.sdk import ScriptedModel

ORDER = {
    "type": "object",
    "properties": {"order_number": {"type": "string"}},
    "required": ["order_number"],
    "additionalProperties": False,
}


def lookup(arguments: Mapping[str, Any]) -> ToolResult:
    if arguments["order_number"] == "A-9":
        raise LookupError("no order A-9; ask for the number on the receipt")
    return ToolResult({"status": "shipped", "order": arguments["order_number"]}, logs="looked\n")


def offer(**changes: Any) -> Offer:
    given: dict[str, Any] = {
        "prompt": "You help customers.",
        "tools": (
            Tool(ToolSpec("lookup_order", "Look an order up.", ORDER), lookup),
            Tool(ToolSpec("greeting", "Say hello.", {"type": "object"}), lambda _arguments: ToolResult("hello")),
        ),
        "documents": (
            Document("refunds", "How refunds work.\nRead it first.", lambda: "# Refunds\nWithin 30 days."),
            Document("broken", "Cannot be rendered.", lambda: str(1 // 0)),
        ),
    }
    return Offer(**{**given, **changes})


def call(name: str, arguments: Any = None) -> dict[str, Any]:
    return {"toolCalls": [{"name": name, "arguments": {} if arguments is None else arguments}]}


def play(
    *turns: Mapping[str, Any], text: str = "hello", rules: Rules | None = None, given: Offer | None = None
) -> tuple[Outcome, ScriptedModel]:
    script = ScriptedModel(turns)
    return take_turn(given or offer(), (UserMessage(text),), Scripted(script), rules), script


def tool_message(script: ScriptedModel) -> dict[str, Any]:
    """The last result that the model was shown."""
    results: list[dict[str, Any]] = [m for m in script.requests[-1]["messages"] if m["role"] == "tool"]
    return results[-1]
