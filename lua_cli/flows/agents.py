"""The `ai-agent` block: its tools and documents. In: nodes. Out: an `Agent`; what is wrong goes to the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.diagnostics import Place
from lua_cli.flows.json_text import strict_json
from lua_cli.flows.model import MAX_ITERATIONS, Agent, FlowSkill, FlowTool, Template
from lua_cli.flows.reading import VALUE, Reader
from lua_cli.flows.schemas import Misspelt, misspelt_required, place_in_text
from lua_cli.source.yaml_text import Node

if TYPE_CHECKING:
    from lua_cli.flows.blocks import Blocks

LOAD_SKILL = "load_skill"
SCHEMA, REQUIRED = "lua/flow-schema", "lua/schema-required"
OPEN_OBJECT: Mapping[str, Any] = {"type": "object"}
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TOOL_KEYS = ("name", "description", "inputSchema", "process")
_SKILL_KEYS = ("name", "description", "resource")


def read_agent(blocks: Blocks, given: Mapping[str, Node], address: str) -> Agent:
    """What the block holds beside its name."""
    reader = blocks.reader
    connector = reader.words(given.get("connector"), "connector")
    reader.mention("connector", connector, given.get("connector"), "llm")
    tools = _tools(blocks, given.get("tools"), address)
    skills = _skills(reader, given.get("skills"))
    _check_names(reader, given)
    default = given.get("default")
    answer = reader.choice(given.get("answer"), "answer", ("json", "text"))
    return Agent(
        prompt=reader.template(given.get("prompt"), "prompt") or Template(()),
        connector=connector,
        tools=tools,
        skills=skills,
        max_iterations=reader.number(given.get("maxIterations"), "maxIterations", 1, 100) or MAX_ITERATIONS,
        guardrail=reader.template(given.get("guardrail"), "guardrail"),
        default=blocks.inner().chain(default, f"{address}[default]") if default is not None else None,
        input=reader.expression(given.get("input"), "input"),
        answer="text" if answer == "text" else "json",
        places={key: reader.place(node) for key, node in given.items()},
    )


def _tools(blocks: Blocks, node: Node | None, address: str) -> tuple[FlowTool, ...]:
    reader = blocks.reader
    tools = []
    for element in reader.elements(node, "tools"):
        items = reader.table(element, "a tool", _TOOL_KEYS, ("name", "description", "process"))
        name = reader.words(items.get("name"), "name")
        description = reader.words(items.get("description"), "description")
        schema = _schema(reader, items.get("inputSchema"))
        chain = blocks.inner().chain(items.get("process"), f"{address}[{name}]")
        if name is None or description is None:
            continue
        place = reader.place(items["name"])
        if not _TOOL_NAME.fullmatch(name):
            hint = "letters, digits, `_` and `-`, at most 64"
            reader.say(VALUE, place, f"{name!r} cannot be a tool's name", hint)
        if name == LOAD_SKILL:
            hint = "give the tool another name: load_skill is how the model loads a document"
            reader.say(VALUE, place, f"the name {LOAD_SKILL} is taken", hint)
        places = {key: reader.place(item) for key, item in items.items()}
        tools.append(FlowTool(name, description, schema, chain, place, places))
    return tuple(tools)


def _skills(reader: Reader, node: Node | None) -> tuple[FlowSkill, ...]:
    skills = []
    for element in reader.elements(node, "skills"):
        items = reader.table(element, "a skill", _SKILL_KEYS, _SKILL_KEYS)
        name, description, resource = (reader.words(items.get(key), key) for key in _SKILL_KEYS)
        reader.mention("resource", resource, items.get("resource"), "document")
        if name is not None and description is not None and resource is not None:
            skills.append(FlowSkill(name, description, resource, reader.place(items["name"])))
    return tuple(skills)


def _check_names(reader: Reader, given: Mapping[str, Node]) -> None:
    """Tools and skills are told apart by name alone."""
    named = [
        (item.value, item)
        for key in ("tools", "skills")
        for element in (given[key].elements if key in given else ())
        if isinstance(element.value, dict) and isinstance(item := element.value.get("name"), Node)
    ]
    reader.names_once([(name, item) for name, item in named if isinstance(name, str)], "tools or skills of this agent")


def _schema(reader: Reader, node: Node | None) -> Mapping[str, Any]:
    """A JSON Schema, as JSON text or as YAML; an open object without one."""
    if node is None:
        return OPEN_OBJECT
    value = node.plain()
    place = reader.place(node)
    if isinstance(value, str):
        try:
            value = strict_json(value)
        except json.JSONDecodeError as error:
            place = reader.within(node, error.lineno, error.colno)
            hint = 'inputSchema: \'{"type": "object", "properties": {"orderId": {"type": "string"}}}\''
            reader.say(SCHEMA, place, f"inputSchema is no JSON: {error.msg}", hint)
            return OPEN_OBJECT
        except (RecursionError, ValueError) as error:
            reader.say(SCHEMA, place, f"inputSchema cannot be read: {error}", "mend or shorten it")
            return OPEN_OBJECT
    problem = schema_problem(value)
    if problem:
        reader.say(
            SCHEMA, place, f"inputSchema is no JSON Schema of an object: {problem}", "see https://json-schema.org"
        )
        return OPEN_OBJECT
    for fault in misspelt_required(value):
        reader.say(REQUIRED, _required_place(reader, node, fault), "inputSchema: " + fault.message, fault.hint)
    return value if isinstance(value, dict) else OPEN_OBJECT


def _required_place(reader: Reader, node: Node, fault: Misspelt) -> Place:
    """Where the name stands in `required`, else the schema."""
    if isinstance(node.value, str):
        at = place_in_text(node.value, fault.name)
        return reader.place(node) if at is None else reader.span(node, node.value, at, len(fault.name) + 2)
    here: Node | None = node
    for step in (*fault.at, "required"):
        value = here.value if here is not None else None
        if isinstance(step, int):
            here = value[step] if isinstance(value, tuple) and step < len(value) else None
        else:
            here = value.get(step) if isinstance(value, dict) else None
    named = [one for one in (here.elements if here is not None else ()) if one.value == fault.name]
    return reader.place(named[0] if named else node)


def schema_problem(value: Any) -> str:
    """Why a value is no schema of an object; "" when it is one."""
    import jsonschema_rs

    if not isinstance(value, dict):
        return "it is no JSON object"
    if value.get("type", "object") != "object":
        return f"a tool's arguments are an object, and `type` is {value['type']!r}"
    try:
        jsonschema_rs.Draft202012Validator(value, offline=True)
    except jsonschema_rs.ValidationError as error:
        where = "/".join(map(str, error.instance_path))
        return str(error.message).partition("\n")[0] + (f" (at {where})" if where else "")
    except ValueError as error:
        return str(error).partition("\n")[0]
    return ""
