"""What the model will see differently: two versions' facts → a value. Pure, in the order of the newer version."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from typing import Any

from lua_cli.records import record
from lua_cli.registry.protocol import SkillFacts, ToolFacts
from lua_cli.registry.schemas import SchemaChange, schema_changes, without_words

_LIKELY = 0.6
_BYTES_PER_TOKEN = 4


@record(frozen=True)
class ToolChange:
    """A tool of both versions that is not the same. `parts`: "description", "input schema", "condition", "voice
    flags"; `schema` says what the change of the input schema means.
    """

    name: str
    parts: tuple[str, ...]
    schema: tuple[SchemaChange, ...] = ()


@record(frozen=True)
class Rename:
    """A tool that went and one that came, and look like the same. `schema` says what becomes of its input, `parts` as
    in `ToolChange` what else is not the same."""

    old: str
    new: str
    schema: tuple[SchemaChange, ...] = ()
    parts: tuple[str, ...] = ()


@record(frozen=True)
class Tokens:
    """About how many tokens the skill's context is, before and after: a quarter of its bytes."""

    before: int
    after: int


@record(frozen=True)
class Wording:
    """A text that the model sees, before and after. `tool` is "" for one of the skill's own; `part` as in `Changes`."""

    tool: str
    part: str
    before: str
    after: str


@record(frozen=True)
class Changes:
    """The differences. `parts` are the skill's own: "description", "context", "instructions", "condition", and of
    agents of flows those of `agents_of_flows.py`; with "context" among them `tokens` are known. `renamed` tools are
    among `added` and `removed`, too. `env` are the names of variables that are read now and were not before. `wording`
    has the texts that differ.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[ToolChange, ...] = ()
    parts: tuple[str, ...] = ()
    renamed: tuple[Rename, ...] = ()
    tokens: Tokens | None = None
    env: tuple[str, ...] = ()
    wording: tuple[Wording, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.parts)

    @property
    def breaking(self) -> bool:
        """A caller of the older version may not get on with the newer one."""
        return bool(self.removed) or any(c.kind == "breaking" for tool in self.changed for c in tool.schema)


def changes_between(before: SkillFacts | None, after: SkillFacts) -> Changes:
    """What `after` changes. Without a version before it, everything is new."""
    if before is None:
        return Changes(added=after.tool_names)
    old = {tool.name: tool for tool in before.tools}
    changed = (_tool_change(old[tool.name], tool) for tool in after.tools if tool.name in old)
    added = tuple(tool for tool in after.tools if tool.name not in old)
    removed = tuple(tool for tool in before.tools if tool.name not in after.tool_names)
    parts = _skill_parts(before, after)
    renamed = _renamed(removed, added)
    return Changes(
        added=tuple(tool.name for tool in added),
        removed=tuple(tool.name for tool in removed),
        changed=tuple(change for change in changed if change.parts),
        parts=parts,
        renamed=renamed,
        tokens=Tokens(tokens_of(before.context), tokens_of(after.context)) if "context" in parts else None,
        env=tuple(name for name in after.env if name not in before.env),
        wording=tuple(_wordings(before, after, renamed)),
    )


def _wordings(before: SkillFacts, after: SkillFacts, renamed: tuple[Rename, ...]) -> Iterator[Wording]:
    now = {rename.old: rename.new for rename in renamed}
    old = {now.get(tool.name, tool.name): tool for tool in before.tools}
    for tool in after.tools:
        if tool.name in old and old[tool.name].description != tool.description:
            yield Wording(tool.name, "description", old[tool.name].description, tool.description)
    if before.description != after.description:
        yield Wording("", "description", before.description, after.description)
    if before.context != after.context:
        yield Wording("", "context", _plain(before.context), _plain(after.context))


def _plain(context: str | Mapping[str, str]) -> str:
    """A context as text, channel by channel where it has several."""
    return context if isinstance(context, str) else "\n".join(f"{name}: {text}" for name, text in context.items())


def tokens_of(context: str | Mapping[str, str]) -> int:
    """About how many tokens a context is, all channels together."""
    texts = [context] if isinstance(context, str) else context.values()
    return math.ceil(sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / _BYTES_PER_TOKEN)


def _tool_change(old: ToolFacts, new: ToolFacts) -> ToolChange:
    parts = _tool_parts(old, new)
    schema = schema_changes(old.input_schema, new.input_schema) if "input schema" in parts else ()
    return ToolChange(new.name, parts, schema)


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


def _renamed(removed: tuple[ToolFacts, ...], added: tuple[ToolFacts, ...]) -> tuple[Rename, ...]:
    """The likeliest pairs first; each tool is in one pair at most."""
    scored = sorted(
        ((_likeness(old, new), old.name, new.name) for old in removed for new in added), key=lambda pair: -pair[0]
    )
    pairs: dict[str, str] = {}
    for score, old, new in scored:
        if score >= _LIKELY and old not in pairs and new not in pairs.values():
            pairs[old] = new
    before, after = ({tool.name: tool for tool in tools} for tools in (removed, added))
    changes = {(old, new): _tool_change(before[old], after[new]) for old, new in pairs.items()}
    return tuple(Rename(old, new, change.schema, change.parts) for (old, new), change in changes.items())


def _inputs_alike(old: Mapping[str, Any], new: Mapping[str, Any]) -> float:
    """1 for the same fields; which of them both have, where some differ; tools without fields tell little."""
    before, after = ({**(schema.get("properties") or {})} for schema in (old, new))
    if old == new:
        return 1.0 if before else 0.5
    names = before.keys() | after.keys()
    both = [name for name in before.keys() & after.keys() if before[name] == after[name]]
    return len(both) / len(names) if names else 0.0


def _likeness(old: ToolFacts, new: ToolFacts) -> float:
    """0 to 1: the inputs count for half, the description and the name for the rest."""
    inputs = _inputs_alike(without_words(old.input_schema or {}), without_words(new.input_schema or {}))
    description = difflib.SequenceMatcher(None, old.description, new.description).ratio()
    name = difflib.SequenceMatcher(None, old.name, new.name).ratio()
    return 0.5 * inputs + 0.35 * description + 0.15 * name
