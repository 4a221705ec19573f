"""Values for tests of a registry: submissions whose content is a real artifact, and follows from a word."""

from __future__ import annotations

import functools
import json
from typing import Any

from lua_cli.bundle import BundledFile, Draft, seal
from lua_cli.bundle.model import DraftTool, EnvUse
from lua_cli.diagnostics import Place
from lua_cli.packed import Packed
from lua_cli.registry.facts import facts_from_json, facts_to_json
from lua_cli.registry.protocol import SkillFacts, Submission, ToolFacts

AGENT = "acme"
_PLACE = Place("agent.py", 1, 1, 1, 1)


def tool(name: str, description: str = "Look up one order.", schema: dict[str, Any] | None = None) -> ToolFacts:
    return ToolFacts(name, description, schema or {"type": "object"})


def facts(*tools: str, **more: Any) -> SkillFacts:
    return SkillFacts(description="Orders", context="Use it.", tools=tuple(tool(name) for name in tools), **more)


def submission(
    version: str = "1.0.0",
    word: str = "one",
    *,
    skill: str = "orders",
    base: str | None = None,
    unchecked: bool = False,
    about: SkillFacts | None = None,
) -> Submission:
    said = about or facts("get_order")
    content, digest = _artifact(skill, word, facts_to_json(said))
    return Submission(skill, version, content, digest, said, base, unchecked)


@functools.lru_cache(maxsize=256)
def _artifact(skill: str, word: str, about: str) -> tuple[bytes, str]:
    """An artifact that says this of itself (its document apart)."""
    said = facts_from_json(about)
    context = said.context if isinstance(said.context, str) else dict(said.context)
    source = f"# {json.dumps(word)}\n".encode() * 50
    draft = Draft(
        skill=skill,
        description=said.description,
        context=context,
        instructions=None,
        condition=("agent", "ready") if said.has_condition else None,
        tools=tuple(
            DraftTool(t.name, t.description, "agent", f"T{n}", t.has_condition, t.voice_flags, _PLACE)
            for n, t in enumerate(said.tools)
        ),
        files=(BundledFile("agent.py", Packed(source), "module", "the entry", "agent.py"),),
        requires=(),
        env=said.env,
        python="",
        place=_PLACE,
        env_uses=tuple(EnvUse(name, ("agent.py:1",), name in said.defaults) for name in said.env),
    )
    schemas = {f"agent:T{n}": {"inputSchema": t.input_schema, "outputSchema": None} for n, t in enumerate(said.tools)}
    sealed = seal(draft, schemas)
    return sealed.content, sealed.digest
