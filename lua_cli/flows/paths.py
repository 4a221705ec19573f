"""Keys that expressions read and that are probably misspelled. In: the flows, what was read where. Out: findings.

A key is said where it can be known: of a declared variable; of a variable of the message that some block sets; of the
arguments of a tool, as long as nothing has replaced the body; of what `lua chat` gives an agent. `has(…)` asks, and is
no mistake.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.cel import Expression
from lua_cli.flows.model import Block, Case, Chain, Flows, FlowTool, Rule, Template
from lua_cli.records import record

PATH, REFERENCE = "lua/flow-path", "lua/flow-reference"
_TEXT = re.compile(r'[rR]?"(?:\\.|[^"\\])*"|[rR]?\'(?:\\.|[^\'\\])*\'')
_ASKED = re.compile(r"\bhas\s*\([^()]*\)")
_HAS = re.compile(r"\bhas\s*\(\s*body\s*\.\s*(\w+)")
_READ = re.compile(r"(?<![\w.])(body|vars|env)\s*\.\s*([A-Za-z_]\w*)(?!\w|\s*\()")
_GIVEN = ("user", "channel", "error", "validationErrors", "httpStatus")
_SETTERS = ("as", "statusVar", "existsVar")
# Blocks that leave the body as it is, unless they have a variable to put a value into: `as`.
_AFTER = ("setBody", "setVars")  # what `enrich` evaluates after the chain within it
_BEGINNING: Mapping[str, tuple[str, ...]] = {
    "if": ("then", "else"), "switch": ("default",), "enrich": ("body",), "handle-errors": ("process",),
    "foreach": ("body",), "validate": ("onReject",),
}  # fmt: skip
_KEEPING = ("set-variable", "delete-variable", "log", "object-write", "object-delete", "filter", "validate")


@record(frozen=True)
class Reading:
    """One key that an expression reads: `root` is body, vars or env."""

    root: str
    name: str
    place: Place


def keys_read(source: str) -> Iterator[tuple[str, str, int]]:
    """Root, key and offset of every key that is read outright."""
    plain = _TEXT.sub(lambda found: " " * len(found[0]), source)
    plain = _ASKED.sub(lambda found: " " * len(found[0]), plain)
    for found in _READ.finditer(plain):
        if not re.search(rf"\bin\s+{found[1]}\b(?!\s*[.\[])", plain):
            yield found[1], found[2], found.start(2)


def check_paths(flows: Flows, readings: Mapping[int, Sequence[Reading]]) -> Iterator[Finding]:
    """`readings` are those of each expression, by its identity."""
    known = {*_names_set(flows), *_GIVEN}
    for each in readings.values():
        for reading in each:
            if reading.root == "env" and reading.name not in flows.env:
                yield _undeclared(reading, flows.env)
            elif reading.root == "vars" and reading.name not in known:
                yield from _near(reading, known, "no block sets it")
    for _, block in flows.agents():
        if block.agent is None:
            continue
        for expression in _of(block.agent.input, block.agent.prompt, block.agent.guardrail):
            for reading in readings.get(id(expression), ()):
                if reading.root == "body" and reading.name != "message":
                    yield from _near(reading, ("message",), "`lua chat` gives the agent {message: …}")
        for tool in block.agent.tools:
            yield from _arguments(tool, readings)


def _arguments(tool: FlowTool, readings: Mapping[int, Sequence[Reading]]) -> Iterator[Finding]:
    """Keys of the body that no argument has, up to the first block that may replace it."""
    fields = tool.schema.get("properties")
    if not isinstance(fields, Mapping):
        return
    read = list(_before_replaced(tool.chain))
    known = {*fields, *(name for one in read for name in _HAS.findall(one.source))}
    for expression in read:
        for reading in readings.get(id(expression), ()):
            if reading.root == "body" and reading.name not in known:
                yield from _near(reading, [*map(str, fields)], f"the inputSchema of `{tool.name}` has no such property")


def _before_replaced(chain: Chain) -> Iterator[Expression]:
    for block in chain.blocks:
        yield from _of(*(value for key, value in block.values.items() if key not in _AFTER))
        for inner in _beginnings(block):
            yield from _before_replaced(inner)
        keeps = block.type in _KEEPING or (block.type in ("object-read", "template-resource") and "as" in block.values)
        if not keeps:
            return


def _of(*values: Any) -> Iterator[Expression]:
    """The expressions of values that a block evaluates itself before it runs any chain within."""
    for value in values:
        if isinstance(value, Expression):
            yield value
        elif isinstance(value, Template):
            yield from (part for part in value.parts if isinstance(part, Expression))
        elif isinstance(value, Rule):
            yield value.expr
        elif isinstance(value, Case):
            yield value.when
        elif isinstance(value, Mapping):
            yield from _of(*value.values())
        elif isinstance(value, tuple):
            yield from _of(*value)


def _beginnings(block: Block) -> Iterator[Chain]:
    """The chains within a block that begin with the body as the block got it."""
    if block.type in _BEGINNING:
        for key, value in block.values.items():
            if isinstance(value, Chain) and key in _BEGINNING[block.type]:
                yield value
            elif isinstance(value, tuple):
                yield from (case.chain for case in value if isinstance(case, Case))


def _names_set(flows: Flows) -> Iterator[str]:
    for flow in flows.flows.values():
        for block in flow.blocks():
            values: Mapping[str, Any] = block.values
            yield from (str(values[key]) for key in _SETTERS if key in values)
            if block.type in ("set-variable", "delete-variable"):
                yield str(values.get("name", ""))
            if block.type == "foreach":
                yield str(values.get("as", "item"))
            yield from map(str, values.get("setVars", {}))


def _undeclared(reading: Reading, declared: Collection[str]) -> Finding:
    near = difflib.get_close_matches(reading.name, list(declared), n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"declare it: env: [{{name: {reading.name}}}]"
    facts = {"message": f"the variable {reading.name} is not declared in `env`", "help": hint}
    return Finding(REFERENCE, reading.place, facts)


def _near(reading: Reading, names: Collection[str], why: str) -> Iterator[Finding]:
    near = difflib.get_close_matches(reading.name, list(names), n=1, cutoff=0.8)
    if near:
        message = f"`{reading.root}.{reading.name}` is probably misspelled: {why}"
        yield Finding(PATH, reading.place, {"message": message, "help": f"did you mean `{reading.root}.{near[0]}`?"})
