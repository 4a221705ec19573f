"""`lua explain` for tools that flows answer. In: the flows, drafts. Out: text. Judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lua_cli.bundle import Draft
from lua_cli.flows.model import FLOW_REF, PYTHON, Block, Chain, Flow, Flows, FlowTool
from lua_cli.records import record
from lua_cli.report.explain import columns, files_of, joined, shown_place


@record(frozen=True)
class ChainTool:
    """A tool of an agent of flows, with the agent's block."""

    agent: Block
    tool: FlowTool


def chain_tools(flows: Flows | None) -> tuple[ChainTool, ...]:
    """All tools of the agents of flows."""
    blocks = [block for _, block in flows.agents()] if flows is not None else []
    return tuple(ChainTool(block, tool) for block in blocks for tool in (block.agent.tools if block.agent else ()))


def found_chains(flows: Flows | None, subject: str) -> list[ChainTool]:
    """The tools that a subject names: by name, else by address."""
    tools = chain_tools(flows)
    return [one for one in tools if one.tool.name == subject] or [
        one for one in tools if one.tool.chain.address == subject
    ]


def explain_chain(flows: Flows, found: ChainTool, drafts: Iterable[Draft] = ()) -> str:
    """What a tool of an agent of flows is: where it stands, what it takes, the blocks that it runs, and why each file
    is in the artifact.
    """
    tool, agent = found.tool, found.agent
    head = [
        f"{tool.name} ({tool.chain.address})",
        f"  is a chain of the agent {agent.label}, at {shown_place(tool.place)}: the arguments become `body`, and",
        "  `body` at its end is the result",
        f"  description: {tool.description}",
    ]
    parts = [head, _input(tool.schema), blocks_of(flows, tool.chain)]
    parts += [files_of(draft) for draft in drafts if draft.flow is not None and draft.flow.block == agent.address]
    return joined(parts)


def explain_flow(flows: Flows, name: str) -> str:
    """The blocks of a flow that a tool calls; nothing for one that is not there."""
    flow = flows.flows.get(name)
    return joined([blocks_of(flows, flow.chain, flow)]) if flow is not None else ""


def blocks_of(flows: Flows, chain: Chain, flow: Flow | None = None) -> list[str]:
    """Every block that a chain may come to, each once, those of called flows included."""
    seen: set[str] = set()
    rows = [*_rows(flows, chain, seen)]
    if flow is not None and flow.error is not None:
        rows += _rows(flows, flow.error, seen)
    return ["blocks that it runs, by address", *columns(rows)] if rows else []


def _rows(flows: Flows, chain: Chain, seen: set[str]) -> Iterator[tuple[str, str, str]]:
    for block in chain.blocks:
        if block.address in seen:
            continue
        seen.add(block.address)
        what = str(block.values.get({FLOW_REF: "flow", PYTHON: "tool"}.get(block.type, ""), ""))
        yield f"  {block.address}", f"{block.type} {what}".rstrip(), shown_place(block.place)
        for inner in block.chains():
            yield from _rows(flows, inner, seen)
        called = flows.flows.get(what) if block.type == FLOW_REF else None
        if called is not None:
            yield from _rows(flows, called.chain, seen)
            if called.error is not None:
                yield from _rows(flows, called.error, seen)


def _input(schema: Mapping[str, Any]) -> list[str]:
    """The fields of the arguments."""
    fields = schema.get("properties")
    required = schema.get("required", ())
    if not isinstance(fields, Mapping) or not fields:
        return ["input: any object"]
    rows = [
        (f"  {name}", _kind(field), "required" if name in required else "", _about(field))
        for name, field in fields.items()
    ]
    return ["input", *columns(rows)]


def _kind(field: Any) -> str:
    kind = field.get("type", "anything") if isinstance(field, Mapping) else "anything"
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def _about(field: Any) -> str:
    return str(field.get("description", "")) if isinstance(field, Mapping) else ""
