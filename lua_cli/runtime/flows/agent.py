"""`ai-agent`: the turn loop on a message. In: a block, a message. Out: the answer as the body.

Tools share the message: the arguments become the body, the branch's body is the result, variables stay. A failing
branch is an error result. A refusal and exhausted iterations take the default path, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError, ProviderError
from lua_cli.flows.json_text import as_text, compact, normal
from lua_cli.flows.model import Agent, Block, FlowSkill, FlowTool
from lua_cli.records import replace
from lua_cli.runtime.flows.message import BlockError, DroppedError, FlowError, Message
from lua_cli.runtime.request import InputError, read_input

if TYPE_CHECKING:
    from lua_cli.runtime.flows.engine import Engine, Work
    from lua_cli.runtime.turns.model import Message as Said
    from lua_cli.runtime.turns.model import Offer, Outcome, Rules, Tool, ToolResult

_JSON_ONLY = "Answer with JSON alone: no words around it."


def _ai_agent(engine: Engine, block: Block, message: Message) -> None:
    agent = block.agent
    if agent is None:
        raise BlockError("the agent is not there")
    from lua_cli.runtime.turns.model import UserMessage

    given = engine.value(agent.input, message, "input") if agent.input is not None else message.body
    outcome = take(engine, block, message, (UserMessage(as_text(given)),))
    finish(engine, agent, message, outcome)


def take(
    engine: Engine,
    block: Block,
    message: Message,
    said: Sequence[Said],
    rules: Rules | None = None,
    around: Callable[[Tool], Tool] = lambda tool: tool,
) -> Outcome:
    """One turn of an agent with a message and a conversation; `around` may wrap its tools. Raises BlockError,
    FlowError.
    """
    from lua_cli.runtime.turns.loop import take_turn
    from lua_cli.runtime.turns.model import Rules

    agent = block.agent
    if agent is None:
        raise BlockError(f"{block.address} is no agent")
    connector = engine.flows.connectors.get(agent.connector) if agent.connector else None
    own = rules or Rules(on_entry=engine.around.transcript.append)
    offered = offer(engine, agent, message)
    offered = replace(offered, tools=tuple(around(tool) for tool in offered.tools))
    try:
        return take_turn(
            offered, said, engine.around.model(connector),
            replace(own, max_iterations=agent.max_iterations),
        )  # fmt: skip
    except FlowError:
        raise
    except LuaError as error:
        raise BlockError(error.message) from error


def finish(engine: Engine, agent: Agent, message: Message, outcome: Outcome) -> None:
    """The answer becomes the body; without one the default path runs, or the block fails."""
    if outcome.status == "answered":
        message.body = answer(outcome.answer)
        return
    if agent.default is None:
        why = {"refused": "the model refused", "exhausted": f"no answer within {agent.max_iterations} model calls"}
        words = why.get(outcome.status, "the turn was cancelled")
        raise BlockError(words) from (ProviderError(words) if outcome.status == "refused" else None)
    engine.chain(agent.default, message)


def answer(text: str) -> Any:
    """What the model said: JSON as its value, anything else as the text."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```"):
        stripped = stripped.removesuffix("```").partition("\n")[2].strip()
    try:
        return read_input(stripped)
    except InputError:
        return text


def offer(engine: Engine, agent: Agent, message: Message) -> Offer:
    """What the model is offered: prompt, tools, documents."""
    from lua_cli.runtime.turns.model import Document, Offer

    parts = [engine.rendered(agent.prompt, message)]
    if agent.guardrail is not None:
        parts.append(engine.rendered(agent.guardrail, message))
    if agent.answer == "json":
        parts.append(_JSON_ONLY)
    documents = tuple(
        Document(skill.name, skill.description, partial(_document, engine, skill, message)) for skill in agent.skills
    )
    return Offer(
        "\n\n".join(part.strip() for part in parts), tuple(_tool(engine, t, message) for t in agent.tools), documents
    )


def _document(engine: Engine, skill: FlowSkill, message: Message) -> str:
    return engine.document(skill.resource, message)


def _tool(engine: Engine, tool: FlowTool, message: Message) -> Tool:
    from lua_cli.runtime.turns.model import Tool, ToolSpec

    spec = ToolSpec(tool.name, tool.description, tool.schema)
    return Tool(spec, partial(call, engine, tool, message))


def call(engine: Engine, tool: FlowTool, message: Message, arguments: dict[str, Any]) -> ToolResult:
    """Run a tool's branch on the message. Its variables stay, whatever comes of it."""
    from lua_cli.runtime.turns.model import ToolError, ToolResult

    before = len(engine.around.logs)
    message.body = arguments
    try:
        done = engine.rooted(tool.chain, message)
        result = ToolResult(normal(done.body))
    except FlowError as failure:
        words = engine.around.masked(failure.message)
        result = ToolResult(error=ToolError("tool-error", words, block=failure.address))
    except DroppedError:
        result = ToolResult(None)
    lines = "".join(f"{line.level}: {line.text}\n" for line in engine.around.logs[before:])
    return ToolResult(result.output, result.error, lines) if lines else result


def shown(value: Any) -> str:
    """A body as a chat shows it."""
    return value if isinstance(value, str) else compact(value)


WORK: dict[str, Work] = {"ai-agent": _ai_agent}
