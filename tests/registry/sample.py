"""Values for tests of a registry: submissions whose content follows from a word."""

from __future__ import annotations

from typing import Any

from lua_cli.bundle.manifest import digest_of
from lua_cli.registry.protocol import SkillFacts, Submission, ToolFacts

AGENT = "acme"


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
    content = f"artifact of {skill}: {word}\n".encode() * 50
    return Submission(skill, version, content, digest_of(content), about or facts("get_order"), base, unchecked)
