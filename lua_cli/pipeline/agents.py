"""The agents of a project, as their `LuaAgent(...)` says. In: a Project. Out: `AgentFacts`. Reads the source, runs
none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError, UsageError
from lua_cli.runtime.agents.model import AgentFacts
from lua_cli.runtime.mcp.servers import read_servers
from lua_cli.runtime.turns.model import MAX_ITERATIONS

if TYPE_CHECKING:
    from lua_cli.analysis.model import AgentInfo, Analysis, Attribute
    from lua_cli.project import Project


def python_agents(project: Project) -> tuple[AgentFacts, ...]:
    """The agents that the entry file binds. Raises LuaError for one whose facts only a run can tell."""
    from lua_cli.analysis import analyse
    from lua_cli.source import SourceIndex

    analysis = analyse(project, SourceIndex(project))
    return tuple(_facts(agent, analysis) for agent in analysis.agents if agent.name is not None)


def _facts(agent: AgentInfo, analysis: Analysis) -> AgentFacts:
    names = tuple(name for position in agent.skills if (name := analysis.skills[position].name) is not None)
    persona = _known(agent, "persona", "")
    model = _known(agent, "model", None)
    most = _known(agent, "max_iterations", MAX_ITERATIONS)
    if type(most) is not int or most < 1:
        raise UsageError(f"{_at(agent, 'max_iterations')}: max_iterations is a whole number from 1", hint="8 is usual")
    if model is not None and not isinstance(model, str):
        raise UsageError(f"{_at(agent, 'model')}: model is a text", hint='model="provider/model"')
    servers = read_servers(_known(agent, "mcp_servers", ()), _at(agent, "mcp_servers"))
    return AgentFacts(str(agent.name), persona, names, model, most, servers)


def _known(agent: AgentInfo, name: str, default: Any) -> Any:
    attribute: Attribute = agent.attributes[name]
    if attribute.state == "missing":
        return default
    if attribute.state == "known":
        return default if attribute.value is None else attribute.value
    why = attribute.reason or "it is no constant"
    raise LuaError(
        f"{_at(agent, name)}: only a run can tell the agent's {name}: {why}",
        hint=f"write {name} where the agent is made, as a text or a constant of the project",
    )


def _at(agent: AgentInfo, name: str) -> str:
    place = agent.attributes[name].place or agent.place
    return f"{place.path}:{place.line}"
