"""One tool call of a model. In: a `ToolCall`, the offer. Out: a `ToolResult`.

An unknown name, arguments that do not fit, and an exception are error results; a LuaError goes through: it is the
user's surroundings, and no model can mend it.
"""

from __future__ import annotations

import difflib
import json
from typing import Any

from lua_cli.errors import LuaError
from lua_cli.probe.json_schema import SchemaProblemError
from lua_cli.records import record
from lua_cli.runtime.checking import faults_of
from lua_cli.runtime.turns.model import CALL_ID, LOAD_SKILL, Document, Offer, Tool, ToolCall, ToolError, ToolResult
from lua_cli.runtime.turns.prompt import load_skill_spec


@record(frozen=True)
class Caller:
    """Calls the tools of an offer."""

    offer: Offer

    def call(self, call: ToolCall) -> ToolResult:
        """Make the call."""
        tools = {tool.spec.name: tool for tool in _with_load_skill(self.offer)}
        tool = tools.get(call.name)
        if tool is None:
            return ToolResult(error=_unknown(call.name, list(tools)))
        error = _refused(tool, call.arguments)
        if error is not None:
            return ToolResult(error=error)
        token = CALL_ID.set(call.id)
        try:
            return tool.call(call.arguments)
        except LuaError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a tool raises is a result for the model
            return ToolResult(error=ToolError("tool-error", str(error) or type(error).__name__))
        finally:
            CALL_ID.reset(token)


def content_of(result: ToolResult) -> str:
    """What the model gets of a result: a text as it is, anything else as compact JSON."""
    value = result.output if result.error is None else {"error": result.error.document()}
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _with_load_skill(offer: Offer) -> list[Tool]:
    if not offer.documents:
        return list(offer.tools)
    documents = {document.name: document for document in offer.documents}
    load = Tool(load_skill_spec(offer.documents), lambda given: _loaded(documents[given["name"]], given.get("file")))
    return [*offer.tools, load]


def _loaded(document: Document, name: str | None) -> ToolResult:
    """The document, with the names of its files below; or one of those."""
    if name is None:
        listed = "\n".join(f"- {file}" for file in document.files)
        more = f"\n\nFiles of this skill, which {LOAD_SKILL} gives as `file`:\n{listed}" if listed else ""
        return ToolResult(document.render() + more)
    if name not in document.files:
        return ToolResult(error=ToolError("not-found", _no_file(document, name), path="/file"))
    try:
        return ToolResult(document.files[name].decode("utf-8-sig"))
    except UnicodeDecodeError:
        size = len(document.files[name])
        return ToolResult(error=ToolError("no-text", f"{name} is no text but {size} bytes of data", path="/file"))


def _no_file(document: Document, name: str) -> str:
    near = difflib.get_close_matches(name, document.files, n=1)
    known = f"did you mean {near[0]}?" if near else f"there are: {', '.join(document.files) or 'none'}"
    return f"the skill {document.name} has no file {name!r}; {known}"


def _unknown(name: str, names: list[str]) -> ToolError:
    near = difflib.get_close_matches(name, names, n=1)
    known = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}" if names else "there are none"
    return ToolError("unknown-tool", f"there is no tool {name!r}; {known}")


def _refused(tool: Tool, arguments: Any) -> ToolError | None:
    """Why the arguments are not taken; None when they are."""
    if not isinstance(arguments, dict):
        return ToolError("input-invalid", f"the arguments of {tool.spec.name} must be a JSON object", path="")
    try:
        faults = faults_of(tool.spec.input_schema, arguments)
    except SchemaProblemError as error:
        return ToolError("tool-error", f"the schema of {tool.spec.name} is none: {error.message}")
    if not faults:
        return None
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    words = f"{faults[0].path or 'it'} {faults[0].message}{more}"
    return ToolError(
        "input-invalid",
        f"the arguments do not fit {tool.spec.name}: {words}",
        path=faults[0].path,
        errors=tuple({"path": fault.path, "message": fault.message} for fault in faults),
    )
