"""The agents of flows → drafts. In: the flows, what a draft of their Python tools has. Out: one draft for each agent.

The artifact holds the YAML files and documents as they are in the project: the engine reads them out of it as it reads
a folder. Values of variables are never in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from lua_cli.bundle.model import AgentEntry, BundledFile, Draft, DraftTool, EnvUse
from lua_cli.flows.model import Agent, Block, Flow, Flows, Template
from lua_cli.flows.reach import Reach, reach_of

if TYPE_CHECKING:
    from lua_cli.analysis.model import ClassInfo

Python = Callable[[Block, tuple[str, ...]], tuple[Draft, tuple["ClassInfo", ...]]]


def flow_drafts(flows: Flows, python: Python) -> Iterator[Draft]:
    """`python` makes the draft of an agent's Python tools, by their names."""
    for flow, block in flows.agents():
        if block.agent is not None:
            reach = reach_of(flows, flow)
            yield _draft(flows, flow, block, block.agent, reach, *python(block, reach.python))


def _draft(
    flows: Flows, flow: Flow, block: Block, agent: Agent, reach: Reach, base: Draft, classes: tuple[ClassInfo, ...]
) -> Draft:
    uses = {use.name: use for use in base.env_uses}
    for variable in reach.variables:
        place = f"{variable.place.path}:{variable.place.line}"
        known = uses.get(variable.name)
        optional = not variable.required and (known is None or known.optional)
        places = tuple(sorted({place, *(known.places if known else ())}))
        first = variable.place if variable.required else known.place if known else None
        uses[variable.name] = EnvUse(variable.name, places, optional, first)
    own = {file.name for file in base.files}
    files = (*base.files, *(file for file in _files(flows, reach, flow) if file.name not in own))
    return replace(
        base,
        skill=block.label,
        context=_written(agent.prompt),
        tools=tuple(_tool(agent, number) for number in range(len(agent.tools))),
        files=tuple(sorted(files, key=lambda file: file.name)),
        env=tuple(sorted(uses)),
        env_uses=tuple(uses[name] for name in sorted(uses)),
        place=block.place,
        flow=AgentEntry(
            flow.name, block.address, tuple((info.name or "", info.module, info.qualname) for info in classes)
        ),
    )


def _tool(agent: Agent, number: int) -> DraftTool:
    tool = agent.tools[number]
    return DraftTool(
        tool.name, tool.description, "", "", False, (), tool.place, flow=tool.chain.address, schema=tool.schema
    )  # fmt: skip


def _files(flows: Flows, reach: Reach, flow: Flow) -> Iterator[BundledFile]:
    for path in reach.files:
        reason = "holds the agent's flow" if path == flow.place.path else "its flows are mentioned"
        yield BundledFile(path, flows.files[path].encode(), "data", reason, path)
    for path in reach.documents:
        yield BundledFile(path, flows.files[path].encode(), "document", "a template resource of its flows", path)


def _written(template: Template) -> str:
    """A template as it was written, about."""
    return "".join(part if isinstance(part, str) else f"{{{{ {part.source} }}}}" for part in template.parts)
