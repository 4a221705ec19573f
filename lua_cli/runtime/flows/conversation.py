"""A conversation with an agent of flows. In: its facts, its artifact, the end user. Out: turns.

Each turn runs the blocks that stand before the agent in its flow, on a message whose body is {"message": TEXT}, then
the agent. Variables last as long as the conversation; `vars.user` is the end user, as the channel verified it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.flows.json_text import as_text
from lua_cli.flows.model import Connector
from lua_cli.records import replace
from lua_cli.runtime.agents.conversation import PythonConversation
from lua_cli.runtime.agents.model import AgentFacts
from lua_cli.runtime.flows.agent import answer, offer, shown, take
from lua_cli.runtime.flows.bundled import heard, open_bundled, variables_of
from lua_cli.runtime.flows.message import BlockError, DroppedError, FlowError, Message, StoppedError
from lua_cli.runtime.turns.model import Gate, Offer, Outcome, Tool, UserMessage

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.runtime.agents.conversation import Setting
    from lua_cli.runtime.state import EndUser
    from lua_cli.runtime.turns.model import Message as Said
    from lua_cli.runtime.turns.model import Model, Rules, ToolResult


class FlowConversation(PythonConversation):
    """Talk with an agent of flows: `say`, as often as wanted, then `close`. Whoever talks with agents in Python can
    talk with it; of their conversations it shares the form alone.
    """

    def __init__(self, facts: AgentFacts, artifacts: Mapping[str, OpenedArtifact], setting: Setting) -> None:
        self.facts, self.channel = facts, setting.channel
        self.messages: tuple[Said, ...] = tuple(setting.messages)
        self._options = setting.options
        self._bundled = open_bundled(artifacts[facts.name], setting.options)
        self._message = Message(vars={"channel": setting.channel})

    @property
    def user(self) -> EndUser | None:
        """The end user."""
        return self._options.state.user if self._options.state is not None else None

    def say(self, text: str, model: Model, rules: Rules) -> Outcome:
        """Take one turn with a message of the user's. What an answered turn said is kept for the next one. Raises
        LuaError for a block before the agent that fails.
        """
        bundled, message = self._bundled, self._message
        bundled.engine.around.model = _playing(model)
        self._begin(text)
        forget = rules.cancellation.when_cancelled(self.stop) if rules.cancellation is not None else lambda: None
        try:
            self._before()
            said = (*self.messages, UserMessage(self._heard(text)))
            outcome = take(bundled.engine, bundled.block, message, said, rules, self._timed)
        except StoppedError as stopped:
            return Outcome("answered", shown(stopped.message.body), self.messages, ())
        except DroppedError:
            raise LuaError("the message was dropped before the agent", hint="look at the blocks before it") from None
        except BlockError as error:
            if isinstance(error.__cause__, LuaError):
                raise error.__cause__ from None  # the model's provider: whoever talks tells them apart
            raise FlowError(str(error), bundled.block.label, bundled.block.address) from None
        finally:
            forget()
        if outcome.status == "answered":
            self.messages = outcome.messages
            message.body = answer(outcome.answer)
        elif bundled.agent.default is not None and outcome.status != "cancelled":
            outcome = self._default(outcome)
        return outcome

    def offer(self) -> Offer:
        """What the model would be offered now."""
        self._begin("")
        try:
            self._before()
            found = offer(self._bundled.engine, self._bundled.agent, self._message)
            return replace(found, tools=tuple(self._alone(tool) for tool in found.tools))
        except BlockError as error:
            raise FlowError(str(error), self._bundled.block.label, self._bundled.block.address) from None
        except (StoppedError, DroppedError) as ended:
            why = f" ({shown(ended.message.body)})" if isinstance(ended, StoppedError) else ""
            hint = "look at them" if self.user is not None else "say who the end user is: --user FILE; or look at them"
            raise LuaError(f"the blocks before the agent let no message through{why}", hint=hint) from None

    def gates(self) -> tuple[Gate, ...]:
        """What is open: everything, there are no conditions."""
        return tuple(Gate("tool", tool.name, True, skill=self.agent, asked=False) for tool in self._bundled.agent.tools)

    def http(self) -> dict[str, list[Any]]:
        """What was exchanged where HTTP is played or recorded."""
        return heard(self._bundled.engine.around)

    def values(self) -> dict[str, str]:
        """The variables that expressions see."""
        return dict(self._bundled.values)

    def stop(self) -> None:
        """End what goes on at this moment, from any thread."""
        self._bundled.engine.around.cancellation.cancel()

    def close(self) -> None:
        """Close the object store. Again and again."""
        self._bundled.close()
        if self._options.state is not None:
            self._options.state.close()

    def _begin(self, text: str) -> None:
        self._bundled.engine.around.cancellation.renew()
        self._renew()
        self._message.body = {"message": text}
        self._message.vars.update(variables_of(self._options))

    def _before(self) -> None:
        """The blocks that stand before the agent in its flow."""
        for block in self._bundled.flow.chain.blocks:
            if block is self._bundled.block:
                return
            if any(inner is self._bundled.block for inner in _within(block)):
                return  # the agent stands inside of this one
            self._bundled.engine.block(block, self._message)

    def _heard(self, text: str) -> str:
        """What the agent hears of a message: its `input`; else the body that the blocks before it left, and the words
        themselves where they left it alone.
        """
        bundled, body = self._bundled, self._message.body
        if bundled.agent.input is not None:
            body = bundled.engine.value(bundled.agent.input, self._message, "input")
        return text if body == {"message": text} else as_text(body)

    def _default(self, outcome: Outcome) -> Outcome:
        """The default path's body is the answer."""
        self._renew()
        chain = self._bundled.agent.default
        if chain is not None:
            self._message = self._bundled.engine.rooted(chain, self._message)
        return replace(outcome, status="answered", answer=shown(self._message.body))

    def _alone(self, tool: Tool) -> Tool:
        """Outside of a turn each call begins anew: one that was cancelled says nothing of the next one."""
        timed = self._timed(tool)

        def call(arguments: dict[str, Any]) -> ToolResult:
            self._bundled.engine.around.cancellation.renew()
            return timed.call(arguments)

        return replace(tool, call=call)

    def _timed(self, tool: Tool) -> Tool:
        """Each call has the time of a tool to itself."""

        def call(arguments: dict[str, Any]) -> ToolResult:
            self._renew()
            return tool.call(arguments)

        return replace(tool, call=call)

    def _renew(self) -> None:
        around = self._bundled.engine.around
        around.until = time.monotonic() + self._options.timeout

    def __enter__(self) -> FlowConversation:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()


def _within(block: Any) -> Any:
    for chain in block.chains():
        for inner in chain.blocks:
            yield inner
            yield from _within(inner)


def _playing(model: Model) -> Any:
    """The conversation's model plays agents within tools too."""

    def make(_connector: Connector | None) -> Model:
        return model

    return make
