"""Asks a person at a terminal: which tool, and what its fields are. In: tools, a JSON Schema. Out: answers. Asks on
stderr, so that stdout stays the result's.
"""

from __future__ import annotations

import json
from typing import Any

import typer

SKIPPED = object()


def choose_tool(tools: list[tuple[str, str]]) -> str:
    """The name of one of the tools (name, description)."""
    if len(tools) == 1:
        typer.echo(f"tool: {tools[0][0]}", err=True)
        return tools[0][0]
    for number, (name, description) in enumerate(tools, 1):
        typer.echo(f"  {number:2}  {name}  {_short(description)}", err=True)
    names = [name for name, _ in tools]
    while True:
        answer = str(typer.prompt("Which tool (number or name)", err=True)).strip()
        if answer in names:
            return answer
        if answer.isdecimal() and 0 < int(answer) <= len(names):
            return names[int(answer) - 1]
        typer.echo(f"there is no {answer!r}", err=True)


def ask_input(schema: dict[str, Any]) -> str:
    """The input as JSON: each field is asked for by its schema; one that is not required may be left empty."""
    required = set(schema.get("required") or ())
    value: dict[str, Any] = {}
    for name, field in (schema.get("properties") or {}).items():
        answer = _ask_field(name, _resolved(field, schema), name in required)
        if answer is not SKIPPED:
            value[name] = answer
    return json.dumps(value)


def _ask_field(name: str, field: dict[str, Any], required: bool) -> Any:
    if isinstance(field.get("description"), str):
        typer.echo(f"  {_short(field['description'])}", err=True)
    label = f"{name} ({_kind(field)}{'' if required else ', Enter to leave out'})"
    while True:
        answer = str(typer.prompt(label, default="", show_default=False, err=True))
        if answer == "":
            if not required:
                return SKIPPED
            continue
        try:
            return _parsed(answer, field)
        except ValueError as error:
            typer.echo(f"  {error}", err=True)


def _parsed(answer: str, field: dict[str, Any]) -> Any:
    """The answer as the schema has it. Raises ValueError with words for the person."""
    options = _options(field)
    if options:
        for option in options:
            if answer == (option if isinstance(option, str) else json.dumps(option)):
                return option
        raise ValueError("one of: " + _listed(options))
    types = _types(field)
    if types == ["string"]:
        return answer
    try:
        value = json.loads(answer)
    except ValueError:
        if "string" in types or not types:
            return answer
        raise ValueError(f"that is no {' or '.join(types)}; objects and arrays are written as JSON") from None
    return answer if "string" in types and not _fits(value, types) else value


def _fits(value: Any, types: list[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int | float):
        return "number" in types or ("integer" in types and isinstance(value, int))
    names = {dict: "object", list: "array", type(None): "null"}
    return names.get(type(value), "string") in types


def _kind(field: dict[str, Any]) -> str:
    options = _options(field)
    kind = _listed(options) if options else " or ".join(_types(field)) or "JSON"
    return f"{kind}, default {json.dumps(field['default'], ensure_ascii=False)}" if "default" in field else kind


def _types(field: dict[str, Any]) -> list[str]:
    kind = field.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [str(name) for name in kind]
    branches = field.get("anyOf") or field.get("oneOf") or []
    return [name for branch in branches if isinstance(branch, dict) for name in _types(branch)]


def _options(field: dict[str, Any]) -> list[Any]:
    """What there is to choose from; empty when the field is free. `null` is chosen by leaving the field out."""
    if isinstance(field.get("enum"), list):
        return list(field["enum"])
    if "const" in field:
        return [field["const"]]
    branches = [b for b in (field.get("anyOf") or ()) if isinstance(b, dict) and b.get("type") != "null"]
    lists = [_options(branch) for branch in branches]
    return [option for options in lists for option in options] if lists and all(lists) else []


def _listed(options: list[Any]) -> str:
    return " | ".join(option if isinstance(option, str) else json.dumps(option) for option in options)


def _resolved(field: Any, schema: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(field, dict):
        return {}
    reference = field.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        found = (schema.get("$defs") or {}).get(reference.removeprefix("#/$defs/"))
        return {**(found if isinstance(found, dict) else {}), **{k: v for k, v in field.items() if k != "$ref"}}
    return field


def _short(text: str, width: int = 70) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
