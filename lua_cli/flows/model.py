"""What a folder of flows says, checked and compiled: plain data. In: nothing. Out: the values that reading makes and
that the engine runs. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.cel import Expression
from lua_cli.records import field, record

AGENT, PYTHON, FLOW_REF = "ai-agent", "lua-tool", "flow-ref"
MAX_ITERATIONS = 8


@record(frozen=True)
class Template:
    """A text with expressions: literal parts and expressions, in order."""

    parts: tuple[str | Expression, ...]


@record(frozen=True)
class Resource:
    """A template resource: `alias` is its name in flows, `path` where it is in the project."""

    alias: str
    path: str
    place: Place
    template: Template
    reads_body: Place | None = None  # the first expression that reads `body`


@record(frozen=True)
class Connector:
    """A connector. `settings` are as written; those of `http-client` are checked, the others nothing here reads."""

    name: str
    type: str
    settings: Mapping[str, Any]
    place: Place


@record(frozen=True)
class Variable:
    """A declared environment variable."""

    name: str
    place: Place
    default: str | None = None
    required: bool = False


@record(frozen=True)
class Chain:
    """Blocks in order. `address` is where it stands: `flow`, `flow.block[then]`."""

    address: str
    blocks: tuple[Block, ...] = ()


@record(frozen=True)
class Case:
    """A branch of `switch`."""

    when: Expression
    chain: Chain


@record(frozen=True)
class Rule:
    """A rule of `validate`."""

    expr: Expression
    message: str


@record(frozen=True)
class FlowTool:
    """A tool of an agent: a chain whose body is the result. `places` are those of its values, by key."""

    name: str
    description: str
    schema: Mapping[str, Any]
    chain: Chain
    place: Place
    places: Mapping[str, Place] = field(default_factory=dict)


@record(frozen=True)
class FlowSkill:
    """A document that the model loads on demand."""

    name: str
    description: str
    resource: str
    place: Place


@record(frozen=True)
class Agent:
    """What an `ai-agent` block has beside name and address."""

    prompt: Template
    connector: str | None = None
    tools: tuple[FlowTool, ...] = ()
    skills: tuple[FlowSkill, ...] = ()
    max_iterations: int = MAX_ITERATIONS
    guardrail: Template | None = None
    default: Chain | None = None
    input: Expression | None = None
    answer: Literal["json", "text"] = "json"
    places: Mapping[str, Place] = field(default_factory=dict)  # of its values, by key


@record(frozen=True)
class Block:
    """A block: its kind, its label (name, else type), its address, and what its kind takes, by key.

    Values are texts, numbers, `Expression`s, mappings of `Expression`s, `Template`s, `Chain`s, tuples of `Case`s or
    `Rule`s, or an `Agent` under "agent".
    """

    type: str
    label: str
    address: str
    place: Place
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def agent(self) -> Agent | None:
        """What an `ai-agent` block holds."""
        found = self.values.get("agent")
        return found if isinstance(found, Agent) else None

    def chains(self) -> Iterator[Chain]:
        """The chains within, an agent's tools included."""
        for value in self.values.values():
            if isinstance(value, Chain):
                yield value
            elif isinstance(value, tuple):
                yield from (case.chain for case in value if isinstance(case, Case))
        if self.agent is not None:
            yield from (tool.chain for tool in self.agent.tools)
            if self.agent.default is not None:
                yield self.agent.default


@record(frozen=True)
class Flow:
    """A flow. One without `source` can be called by name."""

    name: str
    place: Place
    chain: Chain
    error: Chain | None = None
    source: Mapping[str, Any] | None = None

    def blocks(self) -> Iterator[Block]:
        """Every block, those within blocks included."""
        pending = [chain for chain in (self.error, self.chain) if chain is not None]
        while pending:
            for block in pending.pop().blocks:
                yield block
                pending.extend(block.chains())


@record(frozen=True)
class Flows:
    """All flows of a project, by name, in the order of the files.

    findings  what is wrong; with an error among them nothing is run
    files     the YAML files and resources that were read, by path in the project: their texts
    """

    service: str = ""
    env: Mapping[str, Variable] = field(default_factory=dict)
    resources: Mapping[str, Resource] = field(default_factory=dict)
    connectors: Mapping[str, Connector] = field(default_factory=dict)
    flows: Mapping[str, Flow] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    def agents(self) -> list[tuple[Flow, Block]]:
        """The `ai-agent` blocks, each with its flow."""
        return [(flow, block) for flow in self.flows.values() for block in flow.blocks() if block.type == AGENT]
