"""One turn, played by scripts: what the model is shown, what comes back to it, and how a turn ends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from lua_cli.errors import LuaError, UnavailableError
from lua_cli.runtime.models.scripted import Scripted
from lua_cli.runtime.turns import (
    AssistantMessage,
    Cancellation,
    Entry,
    Gate,
    Reply,
    Request,
    Rules,
    Tool,
    ToolResult,
    ToolSpec,
    UserMessage,
    take_turn,
)
from lua_cli.sdk import ScriptedModel
from tests.runtime.turns.shop import call, offer, play, tool_message


def test_an_answer_ends_the_turn() -> None:
    outcome, script = play({"text": "Hello!"})
    assert (outcome.status, outcome.answer, outcome.iterations) == ("answered", "Hello!", 1)
    assert outcome.messages == (UserMessage("hello"), AssistantMessage("Hello!"))
    script.assert_finished()


def test_what_the_model_sees() -> None:
    _, script = play({"text": "Hello!"})
    (shown,) = script.requests
    assert shown["system"] == (
        "You help customers.\n\nSkills you can load. Each is a document that says how something is done; only its "
        "description is shown here. Call load_skill with its name and read it before you answer or act in that "
        "matter:\n- refunds: How refunds work. Read it first.\n- broken: Cannot be rendered."
    )
    assert shown["messages"] == [{"role": "user", "text": "hello"}]
    assert [tool["name"] for tool in shown["tools"]] == ["lookup_order", "greeting", "load_skill"]
    name = shown["tools"][-1]["inputSchema"]["properties"]["name"]
    assert name == {"type": "string", "enum": ["refunds", "broken"]}


def test_without_documents_there_is_no_load_skill() -> None:
    _, script = play({"text": "Hello!"}, given=offer(documents=()))
    assert script.requests[0]["system"] == "You help customers."
    script.assert_not_shown("load_skill")


def test_loads_a_document_looks_up_and_answers() -> None:
    outcome, script = play(
        call("load_skill", {"name": "refunds"}),
        call("lookup_order", {"order_number": "A-1"}),
        {"text": "It was shipped."},
    )
    results = [m for m in script.requests[-1]["messages"] if m["role"] == "tool"]
    assert [(m["content"], m["isError"]) for m in results] == [
        ("# Refunds\nWithin 30 days.", False),
        ('{"status":"shipped","order":"A-1"}', False),
    ]
    assert [entry.document(times=False) for entry in outcome.transcript] == [
        {"type": "user", "text": "hello"},
        {"type": "prompt", "system": script.requests[0]["system"], "tools": ["lookup_order", "greeting", "load_skill"]},
        _asked("call_1", "load_skill", {"name": "refunds"}),
        {"type": "tool", "id": "call_1", "name": "load_skill", "arguments": {"name": "refunds"}, "result": "# Refunds\nWithin 30 days."},
        _asked("call_2", "lookup_order", {"order_number": "A-1"}),
        {
            "type": "tool", "id": "call_2", "name": "lookup_order", "arguments": {"order_number": "A-1"},
            "result": {"status": "shipped", "order": "A-1"}, "logs": "looked\n",
        },
        {"type": "model", "model": "scripted", "text": "It was shipped.", "usage": {"inputTokens": 0, "outputTokens": 0}},
        {"type": "answer", "text": "It was shipped."},
    ]  # fmt: skip


def _asked(number: str, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    calls = [{"id": number, "name": name, "arguments": arguments}]
    usage = {"inputTokens": 0, "outputTokens": 0}
    return {"type": "model", "model": "scripted", "text": "", "toolCalls": calls, "usage": usage}


@pytest.mark.parametrize(
    ("asked", "kind", "words"),
    [
        (call("lookup_ordr"), "unknown-tool", "there is no tool 'lookup_ordr'; did you mean lookup_order?"),
        (call("buy"), "unknown-tool", "there is no tool 'buy'; there are: lookup_order, greeting, load_skill"),
        (call("lookup_order"), "input-invalid", "the arguments do not fit lookup_order: /order_number is required"),
        (call("lookup_order", {"order_number": 7}), "input-invalid", "/order_number must be a string"),
        (call("lookup_order", ["A-1"]), "input-invalid", "the arguments of lookup_order must be a JSON object"),
        (call("lookup_order", "{"), "input-invalid", "the arguments of lookup_order must be a JSON object"),
        (call("lookup_order", {"order_number": "A-9"}), "tool-error", "no order A-9; ask for the number"),
        (call("load_skill", {"name": "shipping"}), "input-invalid", "/name must be one of"),
        (call("load_skill", {"name": "broken"}), "tool-error", "division"),
    ],
)
def test_what_goes_wrong_is_a_result_to_react_to(asked: Mapping[str, Any], kind: str, words: str) -> None:
    outcome, script = play(asked, {"text": "Sorry."})
    message = tool_message(script)
    error = json.loads(message["content"])["error"]
    assert (message["isError"], error["type"]) == (True, kind)
    assert words in error["message"]
    entry = next(entry for entry in outcome.transcript if entry.kind == "tool")
    assert entry.facts["error"] == error
    assert outcome.status == "answered"


def test_calls_of_one_reply_run_one_after_another_and_in_order() -> None:
    ran: list[str] = []

    def tool(name: str) -> Tool:
        def run(_arguments: Mapping[str, Any]) -> ToolResult:
            ran.append(name)
            return ToolResult()

        return Tool(ToolSpec(name, "", {"type": "object"}), run)

    both = {"text": "wait", "toolCalls": [{"name": "b"}, {"name": "a"}, {"name": "b"}]}
    _, script = play(both, {"text": "done"}, given=offer(tools=(tool("a"), tool("b"))))
    assert ran == ["b", "a", "b"]
    roles = [(m["role"], m.get("id")) for m in script.requests[-1]["messages"]]
    assert roles == [("user", None), ("assistant", None), ("tool", "call_1"), ("tool", "call_2"), ("tool", "call_3")]
    assert script.requests[-1]["messages"][1]["text"] == "wait"


def test_out_of_iterations() -> None:
    outcome, script = play(*[call("greeting")] * 3, rules=Rules(max_iterations=2))
    assert (outcome.status, outcome.iterations, len(script.requests)) == ("exhausted", 2, 2)
    assert outcome.messages == (UserMessage("hello"),)
    kinds = [entry.kind for entry in outcome.transcript]
    assert kinds == ["user", "prompt", "model", "tool", "model", "exhausted"]
    assert outcome.transcript[-1].facts == {"iterations": 2}


@pytest.mark.parametrize(("given", "words"), [(True, ""), ("I cannot help with that.", "I cannot help with that.")])
def test_a_refusal(given: object, words: str) -> None:
    outcome, _ = play({"refusal": given})
    assert (outcome.status, outcome.answer) == ("refused", words)
    assert outcome.messages == (UserMessage("hello"),)


def test_a_cancelled_turn_makes_no_further_calls() -> None:
    cancellation, told = Cancellation(), []
    cancellation.when_cancelled(lambda: told.append("told"))

    def stop(_arguments: Mapping[str, Any]) -> ToolResult:
        cancellation.cancel()
        cancellation.cancel()
        return ToolResult("stopped")

    tools = (Tool(ToolSpec("stop", "", {"type": "object"}), stop),)
    both = {"toolCalls": [{"name": "stop"}, {"name": "stop"}]}
    outcome, script = play(both, {"text": "never"}, given=offer(tools=tools), rules=Rules(cancellation=cancellation))
    assert (outcome.status, len(script.requests), told) == ("cancelled", 1, ["told"])
    assert [entry.kind for entry in outcome.transcript].count("tool") == 1
    cancellation.when_cancelled(lambda: told.append("late"))
    assert told == ["told", "late"]


def test_who_took_the_wish_back_is_not_told() -> None:
    cancellation, told = Cancellation(), []
    cancellation.when_cancelled(lambda: told.append("no"))()
    cancellation.cancel()
    assert not told


def test_the_next_turn_goes_on_with_the_conversation() -> None:
    model = Scripted(script := ScriptedModel([call("greeting"), {"text": "one"}, {"text": "two"}]))
    first = take_turn(offer(), (UserMessage("1"),), model)
    second = take_turn(offer(), (*first.messages, UserMessage("2")), model)
    assert [m["role"] for m in script.requests[-1]["messages"]] == ["user", "assistant", "tool", "assistant", "user"]
    assert second.messages[-1] == AssistantMessage("two")


def test_entries_and_text_are_told_as_they_come() -> None:
    told: list[Entry | str] = []
    outcome, _ = play(call("greeting"), {"text": "Hi"}, rules=Rules(on_entry=told.append, on_text=told.append))
    assert [t for t in told if isinstance(t, Entry)] == list(outcome.transcript)
    kinds = [t if isinstance(t, str) else t.kind for t in told]
    assert kinds == ["user", "prompt", "model", "tool", "Hi", "model", "answer"]


def test_gates_stand_in_the_transcript() -> None:
    gates = (Gate("tool", "refund", False, "it said no", "orders", True, 3),)
    outcome, _ = play({"text": "Hi"}, given=offer(gates=gates))
    assert outcome.transcript[1].document() == {
        "type": "gate", "kind": "tool", "name": "refund", "open": False, "reason": "it said no", "skill": "orders",
        "asked": True, "durationMs": 3,
    }  # fmt: skip


def test_usage_is_added_up() -> None:
    class Counting(Scripted):
        def request(self, request: Request, on_text: Any = None) -> Reply:
            reply = super().request(request, on_text)
            return Reply(reply.text, reply.calls, usage=type(reply.usage)(10, 2))

    model = Counting(ScriptedModel([call("greeting"), {"text": "Hi"}]))
    assert take_turn(offer(), (UserMessage("hi"),), model).usage.document() == {"inputTokens": 20, "outputTokens": 4}


def test_the_users_surroundings_end_the_turn() -> None:
    def gone(_arguments: Mapping[str, Any]) -> ToolResult:
        raise UnavailableError("the registry does not answer")

    with pytest.raises(UnavailableError):
        play(call("x"), given=offer(tools=(Tool(ToolSpec("x", "", {"type": "object"}), gone),)))


def test_a_script_that_ends_early_says_so() -> None:
    with pytest.raises(LuaError, match="the script has 1 turn, and the model was called once more"):
        play(call("greeting"))


def test_a_schema_that_is_none_is_an_error_result() -> None:
    tool = Tool(ToolSpec("x", "", {"type": "objekt"}), lambda _arguments: ToolResult(1))
    _, script = play(call("x"), {"text": "Hm."}, given=offer(tools=(tool,)))
    assert "the schema of x is none" in tool_message(script)["content"]
