"""What an agent in Python offers in one turn. In: its facts, its skills, what its conditions said, a channel. Out: an
`Offer`: the persona, then the context of each skill that is not left out; its tools; its documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from lua_cli.errors import UsageError
from lua_cli.runtime.agents.model import AgentFacts, channel_text
from lua_cli.runtime.agents.skill_child import SkillChild
from lua_cli.runtime.turns.model import LOAD_SKILL, Document, Gate, Offer, Tool, ToolSpec
from lua_cli.sdk.skill_file import read_skill_file


def offer_of(agent: AgentFacts, skills: Sequence[SkillChild], gates: Sequence[Gate], channel: str) -> Offer:
    """The offer. Gates without a condition of their own are not told in it. Raises UsageError for a tool that is called
    as the loop's own.
    """
    closed = {(gate.kind, gate.skill, gate.name) for gate in gates if not gate.open}
    active = [skill for skill in skills if ("skill", None, skill.name) not in closed]
    documents = tuple(_documents(active))
    tools: dict[str, Tool] = {}
    for skill in active:
        for tool in skill.manifest["tools"]:
            if ("tool", skill.name, tool["name"]) not in closed:
                tools.setdefault(tool["name"], _tool(skill, tool, channel))
    if documents and LOAD_SKILL in tools:
        raise UsageError(f"a tool is called {LOAD_SKILL}", hint="the agent loads documents with a tool of that name")
    parts = [("persona", channel_text(agent.persona, channel))]
    parts += [(f"skill {skill.name}", channel_text(skill.manifest["skill"]["context"], channel)) for skill in active]
    parts = [(name, text) for name, text in parts if text]
    prompt = "\n\n".join(text for _, text in parts)
    told = tuple(gate for gate in gates if gate.asked)
    return Offer(prompt, tuple(tools.values()), documents, told, tuple(parts))


def _tool(skill: SkillChild, tool: dict[str, Any], channel: str) -> Tool:
    spec = ToolSpec(tool["name"], tool["description"], tool["inputSchema"])
    return Tool(spec, partial(skill.call, tool["name"], voice=channel == "voice"))


def _documents(skills: Iterable[SkillChild]) -> Iterator[Document]:
    for skill in skills:
        about = skill.manifest["skill"]
        if about["instructions"] is None:
            continue
        render = partial(skill.opened.files[about["instructions"]].decode, "utf-8-sig", "replace")
        if "folder" in about:
            yield Document(skill.name, about["description"], partial(_body, render), skill.opened.beside)
        else:
            yield Document(skill.name, about["description"], render)


def _body(render: Callable[[], str]) -> str:
    return read_skill_file(render()).body
