"""turns/: one turn of an agent. In: an `Offer` (prompt, tools, documents), the conversation, a model. Out: an
`Outcome` with its transcript. The same for agents in Python and in YAML; it knows neither, and starts nothing.
"""

from lua_cli.runtime.turns.cancellation import Cancellation
from lua_cli.runtime.turns.loop import take_turn
from lua_cli.runtime.turns.model import (
    LOAD_SKILL,
    AssistantMessage,
    Conversation,
    Document,
    Entry,
    Gate,
    Message,
    Model,
    Offer,
    Outcome,
    Reply,
    Request,
    Rules,
    Tool,
    ToolCall,
    ToolError,
    ToolMessage,
    ToolResult,
    ToolSpec,
    Usage,
    UserMessage,
)
from lua_cli.runtime.turns.prompt import first_request

__all__ = [
    "LOAD_SKILL",
    "AssistantMessage",
    "Cancellation",
    "Conversation",
    "Document",
    "Entry",
    "Gate",
    "Message",
    "Model",
    "Offer",
    "Outcome",
    "Reply",
    "Request",
    "Rules",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolMessage",
    "ToolResult",
    "ToolSpec",
    "Usage",
    "UserMessage",
    "first_request",
    "take_turn",
]
