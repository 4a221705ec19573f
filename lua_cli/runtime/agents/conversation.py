"""A conversation with an agent in Python. In: its facts, its skills' artifacts, the end user, the channel. Out: turns.

Children are started when they are needed, and end with the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.records import field, record, replace
from lua_cli.runtime.agents.gating import BUDGET, ask_gates
from lua_cli.runtime.agents.model import AgentFacts, channel_text
from lua_cli.runtime.agents.offering import offer_of
from lua_cli.runtime.agents.serving import servers_of, with_servers
from lua_cli.runtime.agents.skill_child import SkillChild
from lua_cli.runtime.state import EndUser, State
from lua_cli.runtime.turns import Gate, Message, Model, Offer, Outcome, Rules, UserMessage, take_turn

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.runtime.mcp.attached import AttachedServer
    from lua_cli.runtime.model import RunOptions


@record(frozen=True)
class Setting:
    """Where a conversation takes place. `budget` is the seconds that a condition may take; `messages` is what was said
    before.
    """

    options: RunOptions
    channel: str = "text"
    budget: float = BUDGET
    messages: Sequence[Message] = field(default_factory=tuple)


class PythonConversation:
    """Talk with an agent: `say`, as often as wanted, then `close`. A context manager."""

    _skills: Sequence[SkillChild] = ()
    _servers: Sequence[AttachedServer] = ()

    def __init__(self, agent: AgentFacts, artifacts: Mapping[str, OpenedArtifact], setting: Setting) -> None:
        self.facts, self.channel = agent, setting.channel
        self.messages: tuple[Message, ...] = tuple(setting.messages)
        state = setting.options.state or State()
        self._state, self._budget = state, setting.budget
        options = replace(setting.options, state=state)
        self._skills = [SkillChild(artifacts[name], options) for name in agent.skills if name in artifacts]
        self._servers = servers_of(agent.mcp_servers, options)

    @property
    def agent(self) -> str:
        return self.facts.name

    @property
    def model(self) -> str | None:
        return self.facts.model

    @property
    def user(self) -> EndUser | None:
        """The end user, as tools have left what is known."""
        return self._state.user

    def say(self, text: str, model: Model, rules: Rules) -> Outcome:
        """Take one turn with a message of the user's. What an answered turn said is kept for the next one."""
        forget = rules.cancellation.when_cancelled(self.stop) if rules.cancellation is not None else lambda: None
        own = replace(rules, max_iterations=self.facts.max_iterations)
        try:
            outcome = take_turn(self.offer(), (*self.messages, UserMessage(text)), model, own)
        finally:
            forget()
        if outcome.status == "answered":
            self.messages = outcome.messages
        return outcome

    def offer(self) -> Offer:
        """What the model would be offered now; conditions are asked for it, and MCP servers for their tools."""
        offer = offer_of(self.facts, self._skills, self.gates(), self.channel)
        return with_servers(offer, self._servers, self._budget) if self._servers else offer

    def gates(self) -> tuple[Gate, ...]:
        """What is open now, of everything that the agent has."""
        return ask_gates(self._skills, self._budget)

    def context(self) -> str:
        """What the skills say about themselves on this channel, whatever their conditions say."""
        texts = (channel_text(skill.manifest["skill"]["context"], self.channel) for skill in self._skills)
        return "\n\n".join(text for text in texts if text)

    def http(self) -> dict[str, list[Any]]:
        """What was exchanged where HTTP is played or recorded: "recorded", and "unmatched", which had no answer."""
        recorded = [exchange for skill in self._skills for exchange in skill.recorded]
        return {"recorded": recorded, "unmatched": [request for skill in self._skills for request in skill.unmatched]}

    def values(self) -> dict[str, str]:
        """The variables that tools see."""
        return {name: value for skill in self._skills for name, value in skill.values().items()}

    def close(self) -> None:
        """End the children. Again and again."""
        for skill in self._skills:
            skill.close()
        for server in self._servers:
            server.close()
        self._state.close()

    def stop(self) -> None:
        """End what tools and conditions do at this moment, from any thread."""
        for skill in self._skills:
            skill.stop()

    def __enter__(self) -> PythonConversation:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()
