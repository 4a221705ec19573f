"""Flows beside Python. In: the flows, what the project's skills and tools are called, its flow tools. Out: findings.
Runs nothing.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.agents import SCHEMA, schema_problem
from lua_cli.flows.checks import REFERENCE, flow_problem
from lua_cli.flows.model import PYTHON, Flows
from lua_cli.records import field, record


@record(frozen=True)
class Written:
    """A value of a call in Python: the value, where it stands, and why only a run knows it ("" when it is known)."""

    value: Any
    place: Place
    unknown: str = ""


@record(frozen=True)
class CalledFlow:
    """A `FlowTool(…)` of a registered skill: the tool's name, its flow, its schema (None without one)."""

    name: str
    flow: Written
    schema: Written


@record(frozen=True)
class Beside:
    """What Python has: skills by name, names of the tools that are classes, flow tools."""

    skills: Mapping[str, Place] = field(default_factory=dict)
    tools: Collection[str] = ()
    flow_tools: tuple[CalledFlow, ...] = ()


def beside_python(flows: Flows, python: Beside) -> Iterator[Finding]:
    """Agents whose names are those of skills, Python tools that are not there, and what is wrong with flow tools."""
    for _, block in flows.agents():
        if block.label in python.skills:
            message = f"the agent and a skill in Python are both called `{block.label}`"
            facts = {"message": message, "help": "give each a name of its own: both become artifacts"}
            related = ((python.skills[block.label], "the skill"),)
            yield Finding("lua/flow-duplicate-name", block.place, facts, related)
    yield from _called_tools(flows, python)
    for tool in python.flow_tools:
        yield from _flow(tool, flows)
        yield from _schema(tool)


def _called_tools(flows: Flows, python: Beside) -> Iterator[Finding]:
    """`lua-tool` blocks whose tool is not there, or is no class."""
    chains = {tool.name: str(tool.flow.value) for tool in python.flow_tools}
    for flow in flows.flows.values():
        for block in flow.blocks():
            name = block.values.get("tool") if block.type == PYTHON else None
            if name is None or name in python.tools:
                continue
            if name in chains:
                message = f"the tool `{name}` is a flow itself"
                hint = f"call the flow: {{type: flow-ref, settings: {{flow: {chains[name]}}}}}"
            else:
                message = f"no registered skill has a Python tool `{name}`"
                hint = _near(name, python.tools) or "register it in a skill of the agent"
            yield Finding(REFERENCE, block.place, {"message": message, "help": hint})


def _near(name: str, names: Collection[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(sorted(names))}" if names else ""


def _flow(tool: CalledFlow, flows: Flows) -> Iterator[Finding]:
    flow, what = tool.flow, f"the flow of the tool `{tool.name}`"
    if flow.unknown:
        message, hint = f"{what} is only known when the code runs: {flow.unknown}", 'write its name: flow="…"'
    elif not isinstance(flow.value, str):
        message, hint = f"{what} must be a text", 'write its name: flow="…"'
    else:
        found = flow_problem(flows, flow.value)
        if found is None:
            return
        message, hint = found
    yield Finding(REFERENCE, flow.place, {"message": message, "help": hint})


def _schema(tool: CalledFlow) -> Iterator[Finding]:
    schema, what = tool.schema, f"the input schema of the tool `{tool.name}`"
    hint = 'write the JSON Schema: input_schema={"type": "object", "properties": {…}}'
    if schema.unknown:
        message = f"{what} is only known when the code runs: {schema.unknown}"
    elif schema.value is None:
        return
    elif not isinstance(schema.value, dict):
        message = f"{what} must be a JSON Schema as a dict: no code of the project runs for a flow tool"
    else:
        problem = _not_json(schema.value) or schema_problem(schema.value)
        if not problem:
            return
        message = f"{what} is no JSON Schema of an object: {problem}"
    yield Finding(SCHEMA, schema.place, {"message": message, "help": hint})


def _not_json(value: Any) -> str:
    try:
        same = json.loads(json.dumps(value, allow_nan=False)) == value
    except (TypeError, ValueError, RecursionError):
        same = False
    return "" if same else "it holds what JSON cannot say"
