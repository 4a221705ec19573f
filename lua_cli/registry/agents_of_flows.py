"""What the model will see differently of an agent of flows, beside its prompt and tools. In: two opened artifacts. Out:
parts of the skill, in words. Pure.

A manifest says of such an agent no more than its prompt and tools; documents, guardrail and what they render are in the
flows that the artifact holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lua_cli.bundle.flow_agent import HeldAgent, held_agent
from lua_cli.bundle.model import OpenedArtifact
from lua_cli.flows.model import Template
from lua_cli.records import record, replace
from lua_cli.registry.changes import Changes, Wording


@record(frozen=True)
class _Seen:
    """What the model is told: documents by name with description and text, everything else by what it is called."""

    documents: Mapping[str, tuple[str, str]]
    others: Mapping[str, str]


def with_agents(changes: Changes, before: OpenedArtifact, after: OpenedArtifact) -> Changes:
    """The changes, with those of an agent of flows; others stay as they are."""
    one, other = held_agent(before), held_agent(after)
    if one is None or other is None:
        return changes
    old, new = _seen(one), _seen(other)
    parts, wording = (*changes.parts, *_parts(old, new)), (*changes.wording, *_wordings(old, new))
    return replace(changes, parts=parts, wording=wording)


def _wordings(old: _Seen, new: _Seen) -> Iterator[Wording]:
    for name, text in new.others.items():
        if old.others.get(name, text) != text:
            yield Wording("", name, old.others[name], text)
    for name, (description, text) in new.documents.items():
        was, before = old.documents.get(name, (description, text))
        if description != was:
            yield Wording("", f"description of document {name}", was, description)
        if text != before:
            yield Wording("", f"document {name}", before, text)


def _parts(old: _Seen, new: _Seen) -> Iterator[str]:
    for name in {**new.others, **old.others}:
        if old.others.get(name) != new.others.get(name):
            yield name
    for name, (description, text) in new.documents.items():
        if name not in old.documents:
            yield f"new document {name}"
            continue
        if description != old.documents[name][0]:
            yield f"description of document {name}"
        if text != old.documents[name][1]:
            yield f"document {name}"
    yield from (f"removed document {name}" for name in old.documents if name not in new.documents)


def _seen(held: HeldAgent) -> _Seen:
    flows, agent = held.flows, held.agent
    texts = {name: flows.files[resource.path] for name, resource in flows.resources.items()}
    documents = {skill.name: (skill.description, texts.get(skill.resource, "")) for skill in agent.skills}
    guardrail = "" if agent.guardrail is None else _written(agent.guardrail)
    own = {skill.resource for skill in agent.skills}
    begin = (_written(agent.prompt), guardrail, *(texts.get(name, "") for name in own))
    rendered = {f"template {name}": texts[name] for name in _mentioned(texts, begin) if name not in own}
    return _Seen(documents, {"guardrail": guardrail, "kind of answer": agent.answer, **rendered})


def _mentioned(texts: Mapping[str, str], begin: tuple[str, ...]) -> list[str]:
    """The templates whose names stand in texts, and those whose names stand in these again."""
    found: list[str] = []
    pending = list(begin)
    while pending:
        text = pending.pop()
        for name in texts:
            if name not in found and any(f"{quote}{name}{quote}" in text for quote in "\"'"):
                found.append(name)
                pending.append(texts[name])
    return sorted(found)


def _written(template: Template) -> str:
    return "".join(part if isinstance(part, str) else f"{{{{ {part.source} }}}}" for part in template.parts)
