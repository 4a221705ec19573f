"""`lua prompt`: exactly what the model sees in the first turn, with tokens a part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.agents import BUDGET, AgentName, Budget, Channel, UserFile, Where
from lua_cli.errors import EXIT_OK

if TYPE_CHECKING:
    from lua_cli.runtime.turns import Offer


def prompt_command(
    agent: AgentName = None,
    channel: Channel = "text",
    user: UserFile = None,
    gate_timeout: Budget = BUDGET,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Print what the model sees: the system prompt and the tools, for a channel and a user."""
    from lua_cli.commands.agents import Agents
    from lua_cli.commands.session import note, print_json, project, say

    where = Where(channel, user, budget=gate_timeout).checked()
    agents = Agents(project())
    facts = agents.named(agent)
    with agents.talk(facts, where) as talk:
        offer = talk.offer()
    if as_json:
        print_json({"ok": True, "agent": facts.name, "channel": channel, **prompt_document(offer)})
        return EXIT_OK
    say("\n".join(prompt_lines(offer)))
    note("tokens are estimated: a token for four characters of text in ASCII, one for each other character")
    return EXIT_OK


def prompt_document(offer: Offer) -> dict[str, Any]:
    """What the model sees, as JSON."""
    from lua_cli.runtime.models.tokens import estimate
    from lua_cli.runtime.turns import first_request
    from lua_cli.runtime.turns.prompt import document_list

    request = first_request(offer, ())
    named = offer.parts or (("prompt", offer.prompt),)
    parts: list[dict[str, Any]] = [{"part": name, "tokens": estimate(text)} for name, text in named]
    if offer.documents:
        parts.append({"part": "skills to load", "tokens": estimate(document_list(offer.documents))})
    tools = []
    for tool in request.tools:
        shown = {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.input_schema)}
        tools.append(shown)
        parts.append({"part": f"tool {tool.name}", "tokens": estimate(json.dumps(shown, ensure_ascii=False))})
    left_out = [
        {"kind": gate.kind, "name": gate.name, "reason": gate.reason} for gate in offer.gates if not gate.open
    ]  # fmt: skip
    total = sum(part["tokens"] for part in parts)
    return {"system": request.system, "tools": tools, "leftOut": left_out, "tokens": {"total": total, "parts": parts}}


def prompt_lines(offer: Offer) -> list[str]:
    """What the model sees, for a reader."""
    shown = prompt_document(offer)
    lines = [shown["system"], ""]
    for tool in shown["tools"]:
        lines += [
            f"# tool {tool['name']}",
            tool["description"],
            json.dumps(tool["inputSchema"], ensure_ascii=False),
            "",
        ]
    for gate in shown["leftOut"]:
        lines.append(f"left out: {gate['kind']} {gate['name']}: {gate['reason']}")
    width = max(len(part["part"]) for part in shown["tokens"]["parts"])
    lines += [f"{part['part']:<{width}}  {part['tokens']:>6}" for part in shown["tokens"]["parts"]]
    return [*lines, f"{'total':<{width}}  {shown['tokens']['total']:>6}  tokens, about"]
