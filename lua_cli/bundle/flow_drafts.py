"""Flows → drafts. In: the flows, what a draft of their Python tools has. Out: one draft for each agent of flows; the
draft of a skill in Python with the flows that its flow tools call.

The artifact holds the YAML files and documents as they are in the project: the engine reads them out of it as it reads
a folder. Values of variables are never in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from lua_cli.bundle.model import AgentEntry, BundledFile, Draft, DraftTool, EnvUse
from lua_cli.flows.agents import OPEN_OBJECT
from lua_cli.flows.model import Agent, Block, Flow, Flows, Template
from lua_cli.flows.reach import Reach, reach_of
from lua_cli.packed import Packed
from lua_cli.records import replace

if TYPE_CHECKING:
    from lua_cli.analysis.model import ClassInfo

Python = Callable[[Block, tuple[str, ...]], tuple[Draft, tuple["ClassInfo", ...]]]


def flow_drafts(flows: Flows, python: Python) -> Iterator[Draft]:
    """`python` makes the draft of an agent's Python tools, by their names."""
    for flow, block in flows.agents():
        if block.agent is not None:
            reach = reach_of(flows, flow)
            yield _draft(flows, flow, block, block.agent, reach, *python(block, reach.python))


def with_flows(base: Draft, flows: Flows, reach: Reach) -> Draft:
    """A draft with the files and variables of flows."""
    uses = {use.name: use for use in base.env_uses}
    for variable in reach.variables:
        place = f"{variable.place.path}:{variable.place.line}"
        known = uses.get(variable.name)
        optional = not variable.required and (known is None or known.optional)
        places = tuple(sorted({place, *(known.places if known else ())}))
        first = variable.place if variable.required else known.place if known else None
        uses[variable.name] = EnvUse(variable.name, places, optional, first)
    files = {file.name: file for file in (*base.files, *flow_files(flows, reach))}
    return replace(
        base,
        files=tuple(files[name] for name in sorted(files)),
        env=tuple(sorted(uses)),
        env_uses=tuple(uses[name] for name in sorted(uses)),
    )


def flow_files(flows: Flows, reach: Reach) -> Iterator[BundledFile]:
    """The YAML files and documents of flows, as the engine reads them."""
    for path in reach.files:
        reason = "holds the flow" if path in reach.begins else "its flows are mentioned"
        yield BundledFile(path, Packed(flows.files[path].encode()), "flow", reason, path)
    for path in reach.documents:
        yield BundledFile(
            path, Packed(flows.files[path].encode()), "document", "a template resource of its flows", path
        )


def flow_tool(info: ClassInfo) -> DraftTool:
    """A `FlowTool(…)` of a skill in Python."""
    schema, flags = info.attributes["input_schema"].value, info.attributes["voice_flags"].value
    return DraftTool(
        info.name or "", info.attributes["description"].text or "", "", "", False,
        tuple(sorted(map(str, flags))) if isinstance(flags, set | frozenset) else (), info.place,
        flow=info.flow.text or "" if info.flow else "", schema=schema if isinstance(schema, dict) else OPEN_OBJECT,
    )  # fmt: skip


def _draft(
    flows: Flows, flow: Flow, block: Block, agent: Agent, reach: Reach, base: Draft, classes: tuple[ClassInfo, ...]
) -> Draft:
    return replace(
        with_flows(base, flows, reach),
        skill=block.label,
        context=_written(agent.prompt),
        tools=tuple(_tool(agent, number) for number in range(len(agent.tools))),
        place=block.place,
        flow=AgentEntry(flow.name, block.address),
        called=entries(classes),
    )


def entries(classes: Iterable[ClassInfo]) -> tuple[tuple[str, str, str], ...]:
    """The Python tools that flows call: name, module, qualname."""
    return tuple((info.name or "", info.module, info.qualname) for info in classes)


def _tool(agent: Agent, number: int) -> DraftTool:
    tool = agent.tools[number]
    return DraftTool(
        tool.name, tool.description, "", "", False, (), tool.place, flow=tool.chain.address, schema=tool.schema
    )  # fmt: skip


def _written(template: Template) -> str:
    """A template as it was written, about."""
    return "".join(part if isinstance(part, str) else f"{{{{ {part.source} }}}}" for part in template.parts)
