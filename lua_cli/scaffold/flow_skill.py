"""What an agent of flows is as a folder of the Agent Skills format. In: the agent, and the flows around it. Out: its
texts, its documents as files, and what has no place there, in words. Writes nothing.

A template is written as it is: nobody fills in its expressions where the folder is read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.bundle.flow_agent import HeldAgent
    from lua_cli.flows.model import Template

_FOLDER = "references"
_PLAIN = re.compile(r"[^\w.-]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n")


@record(frozen=True)
class FlowSkill:
    """What SKILL.md says, the files beside it, and what is to be said to whoever exports."""

    description: str
    texts: Sequence[str]
    documents: str
    files: Mapping[str, bytes]
    notes: Sequence[str]


def flow_skill(name: str, held: HeldAgent) -> FlowSkill:
    """The texts and files of an agent."""
    agent, texts = held.agent, held.flows.files
    paths: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for skill in agent.skills:
        source = held.flows.resources[skill.resource].path
        paths[skill.name] = _free(skill.name, posixpath.splitext(source)[1] or ".md", files)
        files[paths[skill.name]] = texts[source].encode()
    lines = [f"- [{skill.name}]({paths[skill.name]}): {_line(skill.description)}" for skill in agent.skills]
    guardrail = "" if agent.guardrail is None else f"## Guardrail\n\n{_written(agent.guardrail).strip()}"
    return FlowSkill(
        _description(name, held),
        (_written(agent.prompt), guardrail),
        "\n".join(["## Documents", "", *lines]) if lines else "",
        files,
        tuple(_notes(held, paths)),
    )


def _description(name: str, held: HeldAgent) -> str:
    """What it does and when to use it: the prompt's sentences without expressions, then what tools and documents are
    for.
    """
    prompt = "".join(part if isinstance(part, str) else "\0" for part in held.agent.prompt.parts)
    told = [_line(sentence) for sentence in _SENTENCE.split(prompt) if "\0" not in sentence and sentence.strip()]
    told = told or [f"The agent {name}."]
    described = (*(tool.description for tool in held.agent.tools), *(skill.description for skill in held.agent.skills))
    uses = [_line(_SENTENCE.split(text.strip())[0]).rstrip(".") for text in described if text.strip()]
    return " ".join([*told, *([f"Use for: {'; '.join(uses)}."] if uses else [])])


def _notes(held: HeldAgent, paths: Mapping[str, str]) -> Iterator[str]:
    """What has no place in the folder."""
    agent, resources = held.agent, held.flows.resources
    yield "no flow describes its agent: the description is put together, write what it does and when to use it"
    templates = [("the prompt", agent.prompt), *([("the guardrail", agent.guardrail)] if agent.guardrail else [])]
    templates += [(paths[skill.name], resources[skill.resource].template) for skill in agent.skills]
    having = [what for what, template in templates if _expressions(template)]
    if having:
        yield f"expressions stay as {{{{ … }}}}, and nobody fills them in: {', '.join(having)}"
    lost = [block.label for block in held.flow.chain.blocks if block.agent is not agent]
    lost += ["default"] if agent.default is not None else []
    if lost:
        yield f"left out is what the flow does beside the agent: {', '.join(lost)}"


def _expressions(template: Template) -> bool:
    return any(not isinstance(part, str) for part in template.parts)


def _free(name: str, suffix: str, taken: Mapping[str, bytes]) -> str:
    """A path for a document that no other one has."""
    stem = _PLAIN.sub("-", name).strip("-.") or "document"
    for ending in ("", *(f"-{number}" for number in range(2, len(taken) + 3))):
        path = f"{_FOLDER}/{stem}{ending}{suffix}"
        if path.lower() not in {one.lower() for one in taken}:
            break
    return path


def _line(text: str) -> str:
    return " ".join(text.split())


def _written(template: Template) -> str:
    return "".join(part if isinstance(part, str) else f"{{{{ {part.source} }}}}" for part in template.parts)
