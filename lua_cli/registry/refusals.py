"""What a registry refuses, in words: the same for every implementation. Carries the facts, so that a server can
answer with them.

ConflictError (1)           someone else was there first; nothing was changed
├── VersionTakenError       that version exists with other content
├── PushedMeanwhileError    a higher version came since the plan was made
└── DeployedMeanwhileError  another version went live since the plan was made
YankedError (1)             a version that was withdrawn
"""

from __future__ import annotations

from lua_cli.errors import LuaError, NotFoundError
from lua_cli.registry.protocol import Deployment, SkillRecord, VersionRecord


class ConflictError(LuaError):
    """Someone else was there first; nothing was changed."""

    kind = "conflict"


class VersionTakenError(ConflictError):
    """A version exists already, with other content. Versions are never overwritten."""

    def __init__(self, skill: str, wanted: str, taken: VersionRecord, highest: VersionRecord) -> None:
        self.taken = taken
        same = taken.version == wanted
        which = wanted if same else f"{wanted} counts as {taken.version}, which"
        super().__init__(
            f"{skill} {which} exists already with other content ({by(taken)})",
            hint=f"versions never change: push it as {highest.parsed.next_patch()}"
            + ("" if same else " (build metadata does not tell versions apart)"),
        )


class PushedMeanwhileError(ConflictError):
    """A version came in between the plan and the push."""

    def __init__(self, skill: str, base: str | None, highest: VersionRecord) -> None:
        self.highest = highest
        super().__init__(
            f"{skill} {highest.version} was pushed meanwhile ({by(highest)}): the plan knew {base or 'no version'}",
            hint=f"look at it with `lua skills versions {skill}`, then push again",
        )


class DeployedMeanwhileError(ConflictError):
    """Another deployment came in between the plan and this one."""

    def __init__(self, skill: str, seen: int, last: Deployment | None) -> None:
        self.last = last
        if last is None:
            found = f"{skill} was never deployed"
        else:
            who = f" by {last.author}" if last.author else ""
            found = f"{skill} {last.version} was deployed meanwhile{who}, {last.created} (entry {last.number})"
        super().__init__(
            f"{found}; the plan knew {f'entry {seen}' if seen else 'of no entry'}",
            hint=f"look at it with `lua skills versions {skill}`, then deploy again",
        )


class YankedError(LuaError):
    """A withdrawn version is not deployed, and the live one is not withdrawn."""

    kind = "yanked"


def by(record: VersionRecord) -> str:
    """Who pushed a version and when."""
    return f"pushed by {record.author}, {record.created}" if record.author else f"pushed {record.created}"


def no_such_version(skill: SkillRecord | None, name: str, version: str) -> NotFoundError:
    """The error for a version that is not there, with those that are."""
    if skill is None or not skill.versions:
        return NotFoundError(
            f"skill {name!r} has no versions in the registry", hint=f"push one: `lua push skill --name {name}`"
        )
    there = [record.version for record in reversed(skill.versions) if not record.yanked]
    shown = ", ".join(there[:8]) + (", …" if len(there) > 8 else "")
    return NotFoundError(f"skill {name!r} has no version {version}", hint=f"there are: {shown}" if shown else None)
