"""The agent of flows that an artifact holds. In: an opened artifact. Out: its agent with the flows around it, or None
for a skill in Python. Runs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.bundle.built import OpenedArtifact
    from lua_cli.flows.model import Agent, Flow, Flows


@record(frozen=True)
class HeldAgent:
    """An agent of flows, its flow, and all flows of its artifact."""

    flows: Flows
    flow: Flow
    agent: Agent


def flow_files(opened: OpenedArtifact) -> set[str]:
    """The members that hold flows: other YAML may lie beside them."""
    return {entry["path"] for entry in opened.manifest["files"] if entry["kind"] == "flow"}


def held_agent(opened: OpenedArtifact) -> HeldAgent | None:
    """The agent that the manifest names; None where it names none, or none that its flows have."""
    about = opened.manifest.get("flow")
    if about is None:
        return None
    from lua_cli.flows.disk import load_members

    flows = load_members(opened.files, None, flow_files(opened))
    agents = ((flow, block.agent) for flow, block in flows.agents() if block.address == about["block"])
    return next((HeldAgent(flows, flow, agent) for flow, agent in agents if agent is not None), None)
