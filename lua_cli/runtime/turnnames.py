"""What a conversation's case may name: the tools, documents and variables of its agent. In: a case, the agent, its
artifacts. Out: nothing, or a LuaError with the nearest name. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lua_cli.bundle.flow_agent import held_agent
from lua_cli.runtime.turns.model import LOAD_SKILL
from lua_cli.runtime.unused import undeclared, unknown_name

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.runtime.agents import AgentFacts
    from lua_cli.runtime.casefile import Case


def check_names(case: Case, agent: AgentFacts, artifacts: Sequence[OpenedArtifact]) -> None:
    """A name that the agent does not have is never called, loaded or read: what the case says of it would hold by
    accident. Whatever a condition leaves out may be named; of other servers only they know the tools. Raises LuaError.
    """
    if case.turns is None:
        return
    who, wanted = f"the agent {agent.name}", case.turns.wanted
    variables = [name for opened in artifacts for name in opened.manifest["env"]]
    undeclared(case.env, [*variables, *(name for server in agent.mcp_servers for name in server.env)], who)
    tools = {tool["name"] for opened in artifacts for tool in opened.manifest["tools"]}
    elsewhere = tuple(f"{server.name}__" for server in agent.mcp_servers)
    for name, known in (
        *((name, tools) for name, _ in wanted.tools),
        *((name, {*tools, LOAD_SKILL}) for name in wanted.forbidden),
    ):
        if not (elsewhere and name.startswith(elsewhere)):
            unknown_name(name, known, who, "tool")
    if wanted.skills:
        documents = {name for opened in artifacts for name in _documents(opened)}
        for name in wanted.skills:
            unknown_name(name, documents, who, "document")


def _documents(opened: OpenedArtifact) -> Iterator[str]:
    held = held_agent(opened)
    if held is not None:
        yield from (skill.name for skill in held.agent.skills)
    elif opened.manifest["skill"]["instructions"] is not None:
        yield opened.skill
