"""The turn loop. In: an offer, the conversation, a model, rules. Out: an Outcome. Calls the model and the tools, one
after another; an error of a tool is a result like any other, an error of the model's provider is the caller's.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Literal

from lua_cli.records import field, record
from lua_cli.runtime.turns.calling import Caller, content_of
from lua_cli.runtime.turns.model import (
    AssistantMessage,
    Entry,
    Message,
    Model,
    Offer,
    Outcome,
    Reply,
    Request,
    Rules,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from lua_cli.runtime.turns.prompt import first_request


def take_turn(offer: Offer, messages: Sequence[Message], model: Model, rules: Rules | None = None) -> Outcome:
    """Take one turn: until there is an answer, a refusal, no iteration left, or it is cancelled.

    `messages` is the conversation, whose last message is the user's. Raises what the model raises (LuaErrors of its
    provider) and what a tool raises as a LuaError; nothing else.
    """
    turn = _Turn(offer, tuple(messages), model, rules or Rules())
    return turn.take()


@record
class _Turn:
    offer: Offer
    before: tuple[Message, ...]
    model: Model
    rules: Rules
    entries: list[Entry] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    iterations: int = 0

    def take(self) -> Outcome:
        request = first_request(self.offer, self.before)
        caller = Caller(self.offer)
        self._begin(request)
        conversation = list(self.before)
        while self.iterations < self.rules.max_iterations:
            if self._cancelled():
                return self._end("cancelled", "")
            reply = self._ask(Request(request.system, tuple(conversation), request.tools))
            if reply.refusal is not None:
                return self._end("refused", reply.refusal)
            if not reply.calls:
                return self._end("answered", reply.text, (*conversation, AssistantMessage(reply.text)))
            if self.iterations == self.rules.max_iterations:
                break  # nobody would see the results: the calls are not made
            conversation.append(AssistantMessage(reply.text, reply.calls))
            for call in reply.calls:
                if self._cancelled():
                    return self._end("cancelled", "")
                conversation.append(self._call(caller, call))
        return self._end("exhausted", "")

    def _cancelled(self) -> bool:
        return self.rules.cancellation is not None and self.rules.cancellation.cancelled

    def _begin(self, request: Request) -> None:
        if self.before and isinstance(self.before[-1], UserMessage):
            self._write("user", {"text": self.before[-1].text})
        for gate in self.offer.gates:
            facts: dict[str, Any] = {"kind": gate.kind, "name": gate.name, "open": gate.open, "reason": gate.reason}
            self._write("gate", {**facts, "skill": gate.skill, "asked": gate.asked}, gate.duration_ms)
        self._write("prompt", {"system": request.system, "tools": [tool.name for tool in request.tools]})

    def _ask(self, request: Request) -> Reply:
        begun = time.monotonic()
        self.iterations += 1
        reply = self.model.request(request, self.rules.on_text)
        self.usage += reply.usage
        facts: dict[str, Any] = {"model": self.model.name, "text": reply.text}
        if reply.calls:
            facts["toolCalls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in reply.calls]
        if reply.refusal is not None:
            facts["refusal"] = reply.refusal
        self._write("model", {**facts, "usage": reply.usage.document()}, _since(begun))
        return reply

    def _call(self, caller: Caller, call: ToolCall) -> ToolMessage:
        begun = time.monotonic()
        result = caller.call(call)
        facts: dict[str, Any] = {"id": call.id, "name": call.name, "arguments": call.arguments}
        facts |= {"result": result.output} if result.error is None else {"error": result.error.document()}
        if result.said:
            facts["said"] = list(result.said)
        if result.logs:
            facts["logs"] = result.logs
        self._write("tool", facts, _since(begun))
        return ToolMessage(call.id, call.name, content_of(result), result.error is not None)

    def _write(self, kind: str, facts: dict[str, Any], duration_ms: int | None = None) -> None:
        entry = Entry(kind, facts, duration_ms)
        self.entries.append(entry)
        if self.rules.on_entry is not None:
            self.rules.on_entry(entry)

    def _end(
        self,
        status: Literal["answered", "refused", "exhausted", "cancelled"],
        answer: str,
        messages: tuple[Message, ...] | None = None,
    ) -> Outcome:
        facts = {"text": answer} if status in ("answered", "refused") else {"iterations": self.iterations}
        self._write("answer" if status == "answered" else status, facts)
        kept = self.before if messages is None else messages
        return Outcome(status, answer, kept, tuple(self.entries), self.usage, self.iterations)


def _since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
