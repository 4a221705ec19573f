"""The agents of a project's flows. In: a Project. Out: `AgentFacts`. Reads the files, runs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.runtime.agents.model import AgentFacts

if TYPE_CHECKING:
    from lua_cli.project import Project


def flow_agents(project: Project) -> tuple[AgentFacts, ...]:
    """Each `ai-agent` block; its one skill has its name."""
    if project.flows is None:
        return ()
    from lua_cli.flows.disk import load_folder

    flows = load_folder(project.root, project.flows).flows
    found = []
    for _, block in flows.agents():
        agent = block.agent
        if agent is None:
            continue
        connector = flows.connectors.get(agent.connector) if agent.connector else None
        model = connector.settings.get("model") if connector is not None else None
        found.append(
            AgentFacts(
                block.label, skills=(block.label,), model=model if isinstance(model, str) else None,
                max_iterations=agent.max_iterations,
            )
        )  # fmt: skip
    return tuple(found)
