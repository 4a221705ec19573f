"""What goes wrong in a conversation with an agent of flows is said as it is for agents in Python."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from lua_cli.bundle import read_build
from lua_cli.errors import LuaError, ProviderError
from lua_cli.pipeline import compile_project
from lua_cli.pipeline.flow_agents import flow_agents
from lua_cli.project import open_project
from lua_cli.runtime import RunOptions
from lua_cli.runtime.agents import Setting
from lua_cli.runtime.flows.conversation import FlowConversation
from lua_cli.runtime.models.scripted import Scripted
from lua_cli.runtime.turns import Cancellation, Reply, Request, Rules
from lua_cli.runtime.turns.model import OnText
from lua_cli.sdk.scripted import ScriptedModel

WriteProject = Callable[[Mapping[str, str]], Path]

AGENT = "      - {type: ai-agent, name: helper, prompt: Help., tools: [{name: t, description: Do it., process: [{type: log}]}]}\n"


@contextmanager
def talk(root: Path) -> Iterator[FlowConversation]:
    project = open_project(root)
    assert compile_project(project).ok
    build = read_build(project.output)
    assert build is not None
    (facts,) = flow_agents(project)
    options = RunOptions(project.interpreter.executable, project.output / "cache" / "unpacked", project.root)
    with FlowConversation(facts, {"helper": build.artifacts["helper"].open()}, Setting(options)) as conversation:
        yield conversation


class Failing:
    """A model whose provider refuses."""

    name = "failing"

    def request(self, request: Request, on_text: OnText | None = None) -> Reply:
        raise ProviderError("the provider refused the request")


def flows(before: str = "") -> dict[str, str]:
    return {"flows/a.yaml": f"flows:\n  - name: f\n    process:\n{before}{AGENT}"}


def test_a_providers_refusal_keeps_its_kind(write_project: WriteProject) -> None:
    with talk(write_project(flows())) as conversation, pytest.raises(ProviderError, match="the provider refused"):
        conversation.say("hello", Failing(), Rules())


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("{type: filter, condition: 'false'}", "the message was dropped before the agent"),
        ("{type: fail, settings: {message: '\"closed\"'}}", "closed"),
    ],
)
def test_a_block_before_the_agent_that_ends_the_flow_is_said(
    write_project: WriteProject, block: str, message: str
) -> None:
    with talk(write_project(flows(f"      - {block}\n"))) as conversation, pytest.raises(LuaError) as raised:
        conversation.say("hello", Scripted(ScriptedModel([])), Rules())
    assert raised.value.message == message


@pytest.mark.parametrize(
    ("before", "own", "heard"),
    [
        ("", "", "hello"),
        ("", ", input: body.message", "hello"),
        ("", ", input: '\"They say: \" + body.message'", "They say: hello"),
        ("", ", input: 'toJson(body)'", '{"message":"hello"}'),
        ("{type: set-payload, settings: {value: '{\"asked\": body.message.upperAscii()}'}}", "", '{"asked":"HELLO"}'),
        ("{type: set-payload, settings: {value: 'body.message + \"!\"'}}", "", "hello!"),
    ],
)
def test_the_agent_hears_its_input(write_project: WriteProject, before: str, own: str, heard: str) -> None:
    files = flows(f"      - {before}\n" if before else "")
    files["flows/a.yaml"] = files["flows/a.yaml"].replace("prompt: Help.", f"prompt: Help.{own}")
    model = ScriptedModel([{"text": "fine"}])
    with talk(write_project(files)) as conversation:
        conversation.say("hello", Scripted(model), Rules())
    assert model.requests[0]["messages"] == [{"role": "user", "text": heard}]


def test_cancelling_ends_a_chain_and_the_next_turn_goes_on(write_project: WriteProject) -> None:
    """A tool waits for an answer that never comes; the turn ends all the same, and the conversation goes on."""
    listening = socket.create_server(("127.0.0.1", 0))  # takes connections, and never answers
    files = flows()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    head = f"connectors: [{{name: api, type: http-client, settings: {{baseURL: '{address}'}}}}]\n"
    asking = "{type: rest, settings: {connector: api, path: /slow}}"
    files["flows/a.yaml"] = head + files["flows/a.yaml"].replace("[{type: log}]", f"[{asking}]")
    with listening, talk(write_project(files)) as conversation:
        cancellation = Cancellation()
        turns = [{"toolCalls": [{"name": "t", "arguments": {}}]}, {"text": "never"}]
        taken: list[socket.socket] = []

        def take() -> None:
            taken.append(listening.accept()[0])
            cancellation.cancel()

        accepting = threading.Thread(target=take)
        accepting.start()
        outcome = conversation.say("hello", Scripted(ScriptedModel(turns)), Rules(cancellation=cancellation))
        accepting.join(30)
        taken[0].close()
        assert outcome.status == "cancelled"
        assert conversation.say("again", Scripted(ScriptedModel([{"text": "fine"}])), Rules()).answer == "fine"


def test_a_call_that_was_cancelled_says_nothing_of_the_next_one(write_project: WriteProject) -> None:
    """Outside of turns, as `lua mcp` calls tools: what is offered is kept over many calls."""
    with talk(write_project(flows())) as conversation:
        (tool,) = conversation.offer().tools
        conversation.stop()
        assert tool.call({"a": 1}).output == {"a": 1}


def test_an_input_that_fails_is_said(write_project: WriteProject) -> None:
    files = flows()
    files["flows/a.yaml"] = files["flows/a.yaml"].replace("prompt: Help.", "prompt: Help., input: body.text")
    with talk(write_project(files)) as conversation, pytest.raises(LuaError, match="input: there is no key 'text'"):
        conversation.say("hello", Scripted(ScriptedModel([])), Rules())


def test_a_prompt_that_nobody_sees_without_an_end_user(write_project: WriteProject) -> None:
    block = "      - {type: validate, rules: [{expr: has(vars.user), message: who is it}]}\n"
    with talk(write_project(flows(block))) as conversation, pytest.raises(LuaError) as raised:
        conversation.offer()
    assert "let no message through" in raised.value.message
    assert '"messages":["who is it"]' in raised.value.message
    assert "--user FILE" in (raised.value.hint or "")


def test_a_rejection_before_the_agent_is_the_answer(write_project: WriteProject) -> None:
    block = "      - {type: validate, rules: [{expr: 'size(body.message) < 3', message: too long}]}\n"
    with talk(write_project(flows(block))) as conversation:
        outcome = conversation.say("hello", Scripted(ScriptedModel([])), Rules())
        assert outcome.answer == '{"error":"validation_failed","messages":["too long"]}'
        assert conversation.say("hi", Scripted(ScriptedModel([{"text": "fine"}])), Rules()).answer == "fine"
        assert [message.text for message in conversation.messages if hasattr(message, "text")] == ["hi", "fine"]


def test_what_is_offered_can_be_seen_before_anything_is_said(write_project: WriteProject) -> None:
    with talk(write_project(flows())) as conversation:
        offer = conversation.offer()
        assert (offer.prompt.splitlines()[0], [tool.spec.name for tool in offer.tools]) == ("Help.", ["t"])
        assert [(gate.name, gate.open) for gate in conversation.gates()] == [("t", True)]
