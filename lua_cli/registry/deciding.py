"""What a registry does with a call, decided on what it has: the same for every implementation. Pure.

In: a skill's record as it stands inside the transaction, and what is wanted. Out: whether it is there already, or a
refusal.
"""

from __future__ import annotations

from lua_cli.registry.protocol import SkillRecord, VersionRecord
from lua_cli.registry.refusals import DeployedMeanwhileError, PushedMeanwhileError, VersionTakenError, YankedError
from lua_cli.registry.semver import Version


def version_there(
    skill: SkillRecord | None, version: str, digest: str, base: str | None, unchecked: bool
) -> VersionRecord | None:
    """The version that answers a push already, None when it is to be stored. Raises VersionTakenError when it has
    other content, PushedMeanwhileError when a higher one came that its author does not know of.
    """
    if skill is None or skill.highest is None:
        return None
    if taken := skill.find(version):
        if taken.digest != digest:
            raise VersionTakenError(skill.name, version, taken, skill.highest)
        return taken
    overtaken = skill.highest.version != base and skill.highest.parsed.key > Version.parse(version).key
    if overtaken and not unchecked:
        raise PushedMeanwhileError(skill.name, base, skill.highest)
    return None


def check_deploy(skill: SkillRecord, record: VersionRecord, seen: int) -> None:
    """Raises DeployedMeanwhileError for a caller who has not seen the last entry, YankedError for a withdrawn
    version.
    """
    if skill.seen != seen:
        raise DeployedMeanwhileError(skill.name, seen, skill.live)
    if record.yanked:
        raise YankedError(f"{skill.name} {record.version} was withdrawn (yanked)", hint="deploy another version")


def check_yank(skill: SkillRecord, record: VersionRecord, yanked: bool) -> None:
    """Raises YankedError for withdrawing what is live."""
    if yanked and skill.live and skill.live.version == record.version:
        raise YankedError(f"{skill.name} {record.version} is live", hint="deploy another version first")
