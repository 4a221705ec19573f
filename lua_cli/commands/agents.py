"""Which agent is meant, and a conversation with it: what chat, prompt, gates and cases open. In: the project, flags.
Out: a `Conversation`.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.commands.surroundings import BUDGET, Where, read_state
from lua_cli.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.project import Project
    from lua_cli.runtime.agents import AgentFacts, PythonConversation, Setting
    from lua_cli.runtime.state import EndUser
    from lua_cli.runtime.turns import Message

AgentName = Annotated[
    str | None, typer.Option("--agent", metavar="NAME", help="The agent, when the project has several.")
]
Channel = Annotated[str, typer.Option("--channel", metavar="C", help="text or voice.")]
UserFile = Annotated[
    Path | None, typer.Option("--user", metavar="FILE", help='The end user: {"id": …, "data": {…}} as JSON.')
]
Budget = Annotated[float, typer.Option("--gate-timeout", metavar="SECONDS", help="Seconds that a condition may take.")]

StateAt = Annotated[
    str, typer.Option("--state", metavar="PLACE", help="Where User and Data are kept: local, or registry.")
]
Sandboxed = Annotated[
    bool, typer.Option("--sandbox", help="Run tools inside of bubblewrap: no network, no home (Linux).")
]
Network = Annotated[bool, typer.Option("--network", help="With --sandbox: with the network.")]


class Agents:
    """The agents of a project, compiled."""

    def __init__(self, target: Project) -> None:
        from lua_cli.commands.session import build
        from lua_cli.pipeline.agents import python_agents
        from lua_cli.pipeline.flow_agents import flow_agents

        self.project = target
        compiled = build(target)
        self._artifacts = compiled.artifacts
        self._of_flows = {agent.name: agent for agent in flow_agents(target)}
        python = python_agents(target) if target.has_python else ()
        self.known = {**self._of_flows, **{agent.name: agent for agent in python}}
        self._opened: dict[str, OpenedArtifact] = {}

    def named(self, name: str | None) -> AgentFacts:
        """The agent of that name; without a name, the only one. Raises NotFoundError, UsageError."""
        names = ", ".join(sorted(self.known))
        if name is None:
            if len(self.known) == 1:
                return next(iter(self.known.values()))
            raise UsageError(f"--agent is missing: there are {names}" if names else "the project has no agent")
        if name not in self.known:
            near = difflib.get_close_matches(name, self.known, n=1)
            raise NotFoundError(
                f"no agent {name!r}", hint=f"did you mean {near[0]}?" if near else f"there are: {names}"
            )
        return self.known[name]

    def talk(
        self, agent: AgentFacts, where: Where, *, user: EndUser | None = None, messages: tuple[Message, ...] = ()
    ) -> PythonConversation:
        """A conversation with it; `user` goes before `where.user`. Data is the project's."""
        from lua_cli.runtime.agents import Setting

        options = read_state(self.project, where, user)
        return self.opened(agent, Setting(options, where.channel, where.budget, messages))

    def artifacts_of(self, agent: AgentFacts) -> list[OpenedArtifact]:
        """The artifacts of its skills, opened once."""
        names = [name for name in agent.skills if name in self._artifacts]
        for name in names:
            if name not in self._opened:
                self._opened[name] = self._artifacts[name].open()
        return [self._opened[name] for name in names]

    def opened(self, agent: AgentFacts, setting: Setting) -> PythonConversation:
        """A conversation with it in these surroundings."""
        from lua_cli.runtime.agents import PythonConversation
        from lua_cli.runtime.flows.conversation import FlowConversation

        self.artifacts_of(agent)
        kind = FlowConversation if agent is self._of_flows.get(agent.name) else PythonConversation
        return kind(agent, self._opened, setting)


__all__ = [
    "BUDGET",
    "AgentName",
    "Agents",
    "Budget",
    "Channel",
    "Network",
    "Sandboxed",
    "StateAt",
    "UserFile",
    "Where",
    "read_state",
]
