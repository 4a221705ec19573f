"""A script → a model. In: an SDK `ScriptedModel`, or a JSON file. Out: a `Model`. No network.

A file that cannot be played is a UsageError that names the place.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lua_cli.errors import LuaError, NotFoundError, UsageError
from lua_cli.runtime.turns.model import (
    AssistantMessage,
    Message,
    OnText,
    Reply,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from lua_cli.runtime.turns.saved import Transcript, lines_of
from lua_cli.sdk.scripted import ScriptedModel, ScriptEndedError, ScriptError

_FORM = '[{"text": …} | {"toolCalls": [{"name", "arguments"}]} | {"refusal": true}, …]'


class Scripted:
    """Plays a ScriptedModel."""

    def __init__(self, script: ScriptedModel) -> None:
        self.script = script
        self._calls = 0

    @property
    def name(self) -> str:
        return self.script.name

    def request(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The next turn of the script. Raises LuaError when there is none left."""
        try:
            turn = self.script.play(request_document(request))
        except ScriptEndedError as error:
            raise LuaError(str(error), hint="add what the model shall do next to the script") from None
        if "refusal" in turn:
            return Reply(refusal=turn["refusal"] if isinstance(turn["refusal"], str) else "")
        text = turn.get("text", "")
        if text and on_text is not None:
            on_text(text)
        return Reply(text, tuple(self._call(call) for call in turn.get("toolCalls", ())))

    def _call(self, call: dict[str, Any]) -> ToolCall:
        self._calls += 1
        return ToolCall(f"call_{self._calls}", call["name"], call.get("arguments", {}))


def read_script(path: Path) -> ScriptedModel:
    """The script in a file; of a saved transcript, the model's answers in it. Raises NotFoundError, UsageError."""
    try:
        given = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise NotFoundError(f"no such script: {path}", hint="--model scripted:FILE.json") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from None
    except json.JSONDecodeError as error:
        words = error.msg[:1].lower() + error.msg[1:]
        raise UsageError(f"{path}:{error.lineno}:{error.colno}: {words}", hint=f"a script is {_FORM}") from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply", hint=f"a script is {_FORM}") from None
    lines = lines_of(given)
    if lines is not None:
        given = Transcript(path.name, lines).turns()
    if not isinstance(given, list):
        raise UsageError(f"{path}: the script is not a list", hint=f"a script is {_FORM}")
    try:
        return ScriptedModel(given, name=f"scripted:{path.name}")
    except ScriptError as error:
        raise UsageError(f"{path}: {error.path}: {error.message}", hint=f"a script is {_FORM}") from None


def request_document(request: Request) -> dict[str, Any]:
    """What a model sees, as JSON."""
    return {
        "system": request.system,
        "messages": [message_document(message) for message in request.messages],
        "tools": [
            {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.input_schema)}
            for tool in request.tools
        ],
    }


def message_document(message: Message) -> dict[str, Any]:
    """A message as JSON."""
    if isinstance(message, UserMessage):
        return {"role": "user", "text": message.text}
    if isinstance(message, ToolMessage):
        shown = {"role": "tool", "id": message.call_id, "name": message.name, "content": message.content}
        return {**shown, "isError": message.is_error}
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.calls]
    return {"role": "assistant", "text": message.text, **({"toolCalls": calls} if calls else {})}


def message_of(document: dict[str, Any]) -> Message:
    """The inverse of `message_document`."""
    if document["role"] == "user":
        return UserMessage(document["text"])
    if document["role"] == "tool":
        return ToolMessage(document["id"], document["name"], document["content"], document["isError"])
    calls = (ToolCall(call["id"], call["name"], call["arguments"]) for call in document.get("toolCalls", ()))
    return AssistantMessage(document["text"], tuple(calls))
