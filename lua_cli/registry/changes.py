"""What the model will see differently: two versions' facts → a value. Pure, in the order of the newer version."""

from __future__ import annotations

from dataclasses import dataclass

from lua_cli.registry.protocol import SkillFacts, ToolFacts


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A tool of both versions that is not the same. `parts`: "description", "input schema", "condition", "voice
    flags".
    """

    name: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences. `parts` are the skill's own: "description", "context", "instructions", "condition"."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[ToolChange, ...] = ()
    parts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.parts)


def changes_between(before: SkillFacts | None, after: SkillFacts) -> Changes:
    """What `after` changes. Without a version before it, everything is new."""
    if before is None:
        return Changes(added=after.tool_names)
    old = {tool.name: tool for tool in before.tools}
    changed = (ToolChange(tool.name, _tool_parts(old[tool.name], tool)) for tool in after.tools if tool.name in old)
    return Changes(
        added=tuple(name for name in after.tool_names if name not in old),
        removed=tuple(name for name in before.tool_names if name not in after.tool_names),
        changed=tuple(change for change in changed if change.parts),
        parts=_skill_parts(before, after),
    )


def _tool_parts(old: ToolFacts, new: ToolFacts) -> tuple[str, ...]:
    pairs = {
        "description": (old.description, new.description),
        "input schema": (old.input_schema, new.input_schema),
        "condition": (old.has_condition, new.has_condition),
        "voice flags": (sorted(old.voice_flags), sorted(new.voice_flags)),
    }
    return tuple(part for part, (a, b) in pairs.items() if a != b)


def _skill_parts(old: SkillFacts, new: SkillFacts) -> tuple[str, ...]:
    pairs = {
        "description": (old.description, new.description),
        "context": (old.context, new.context),
        "instructions": (old.instructions, new.instructions),
        "condition": (old.has_condition, new.has_condition),
    }
    return tuple(part for part, (a, b) in pairs.items() if a != b)
