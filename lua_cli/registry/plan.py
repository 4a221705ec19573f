"""What a push, a deploy or a rollback would do, as a value: made before anything is done, printed by `--dry-run`,
then executed.

In: a registry (only read), what was built, what the user wants. Out: a `Plan`. Everything that can be refused is
refused here.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lua_cli.bundle.model import BuiltArtifact
from lua_cli.errors import NotFoundError
from lua_cli.registry.changes import Changes, changes_between
from lua_cli.registry.facts import facts_of
from lua_cli.registry.protocol import Registry, RegistryPlace, SkillFacts, SkillRecord, VersionRecord
from lua_cli.registry.refusals import VersionTakenError, YankedError, no_such_version
from lua_cli.registry.semver import FIRST, Version

LATEST = "latest"


@dataclass(frozen=True, slots=True)
class PushStep:
    """Put one version.

    why       in words: "new skill", "the content changed", "1.0.1 has this content"
    version   what it will be, or is; `previous` the highest version there before, None for a first one
    skill_id  the skill's id in the registry, "" when it is new there; `there` the version that has this content already
    lower     `version` is lower than `previous`: wants consent
    missing   environment variables that the tools need and that are not set here
    """

    skill: str
    why: str
    version: str
    previous: str | None
    digest: str
    size: int
    path: Path
    facts: SkillFacts
    changes: Changes
    skill_id: str = ""
    there: VersionRecord | None = None
    lower: bool = False
    missing: tuple[str, ...] = ()

    @property
    def action(self) -> Literal["push", "unchanged"]:
        """With "unchanged" the registry has this content already, and nothing is sent."""
        return "unchanged" if self.there else "push"


@dataclass(frozen=True, slots=True)
class DeployStep:
    """Make one version live. `previous` is live now (None: nothing is), `seen` its entry in the history; `key` makes
    repeating the step harmless. With action "unchanged" it is live already. `lower`: an older version than the live
    one.
    """

    skill: str
    action: Literal["deploy", "unchanged"]
    why: str
    version: str
    previous: str | None
    seen: int
    key: str
    changes: Changes
    lower: bool = False
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps, in order, and where: which registry, which agent there."""

    place: RegistryPlace
    agent: str
    steps: tuple[PushStep | DeployStep, ...]

    @property
    def idle(self) -> bool:
        """There is nothing to do."""
        return all(step.action == "unchanged" for step in self.steps)


def plan_push(
    registry: Registry,
    agent: str,
    artifacts: Iterable[BuiltArtifact],
    *,
    version: Version | None = None,
    deploy: bool = False,
    known: Collection[str] = (),
) -> Plan:
    """The plan that puts these artifacts, each as `version` or as the next patch of its skill. `deploy` makes them
    live, too. `known` are the names of environment variables that are set.

    Raises VersionTakenError when `version` exists with other content.
    """
    steps: list[PushStep | DeployStep] = []
    for built in artifacts:
        record = registry.skill(agent, built.skill)
        step = _push_step(registry, agent, built, record, version, known)
        steps.append(step)
        if deploy:
            steps.append(_deploy_step(registry, agent, step.skill, record, step.version, step.facts, known))
    return Plan(registry.place, agent, tuple(steps))


def plan_deploy(registry: Registry, agent: str, skill: str, version: str, *, known: Collection[str] = ()) -> Plan:
    """The plan that makes `version` (or "latest") live. Raises NotFoundError and YankedError."""
    record = registry.skill(agent, skill)
    if record is None or not record.versions:
        raise no_such_version(record, skill, version)
    found = record.latest if version == LATEST else record.find(version)
    if found is None:
        if version == LATEST:
            raise YankedError(
                f"all versions of {skill} were withdrawn (yanked)", hint=f"push one: `lua push skill --name {skill}`"
            )
        raise no_such_version(record, skill, version)
    facts = registry.facts(agent, skill, found.version)
    return Plan(registry.place, agent, (_deploy_step(registry, agent, skill, record, found.version, facts, known),))


def plan_rollback(
    registry: Registry, agent: str, skill: str, version: str | None = None, *, known: Collection[str] = ()
) -> Plan:
    """The plan that makes `version` live again, or the version that was live before the present one."""
    if version is not None:
        return plan_deploy(registry, agent, skill, version, known=known)
    record = registry.skill(agent, skill)
    live = record.live if record else None
    if live is None or live.previous is None:
        so_far = f"only {live.version} was ever live" if live else "no version was ever live"
        raise NotFoundError(
            f"{skill} has nothing to roll back to: {so_far}", hint=f"`lua skills versions {skill}` lists what there is"
        )
    return plan_deploy(registry, agent, skill, live.previous, known=known)


def _push_step(
    registry: Registry,
    agent: str,
    built: BuiltArtifact,
    record: SkillRecord | None,
    version: Version | None,
    known: Collection[str],
) -> PushStep:
    facts = facts_of(built.manifest)
    highest = record.highest if record else None
    there = _there_already(record, version, built.digest)
    before = registry.facts(agent, built.skill, highest.version) if highest else None
    wanted = version or (highest.parsed.next_patch() if highest else FIRST)
    return PushStep(
        skill=built.skill,
        why=_why(built.digest, record, there),
        version=there.version if there else str(wanted),
        previous=highest.version if highest else None,
        digest=built.digest,
        size=built.path.stat().st_size,
        path=built.path,
        facts=facts,
        changes=Changes() if there else changes_between(before, facts),
        skill_id=record.id if record else "",
        there=there,
        lower=bool(not there and highest and wanted.key < highest.parsed.key),
        missing=facts.missing(known),
    )


def _there_already(record: SkillRecord | None, version: Version | None, digest: str) -> VersionRecord | None:
    """The version that makes a push needless: the one asked for, or else the highest, when it has the content."""
    if record is None or record.highest is None:
        return None
    if version is None:
        return record.highest if record.highest.digest == digest and not record.highest.yanked else None
    taken = record.find(str(version))
    if taken is not None and taken.digest != digest:
        raise VersionTakenError(record.name, str(version), taken, record.highest)
    return taken


def _why(digest: str, record: SkillRecord | None, there: VersionRecord | None) -> str:
    if there:
        return f"{there.version} has this content"
    if record is None or record.highest is None:
        return "new skill"
    same = [old for old in record.versions if old.digest == digest]
    if not same:
        return "the content changed"
    return f"the content of {same[-1].version} again" + (", which was withdrawn" if same[-1].yanked else "")


def _deploy_step(
    registry: Registry,
    agent: str,
    skill: str,
    record: SkillRecord | None,
    version: str,
    facts: SkillFacts,
    known: Collection[str],
) -> DeployStep:
    """`version` need not exist yet: a push before this step makes it."""
    found = record.find(version) if record else None
    if found and found.yanked:
        raise YankedError(f"{skill} {found.version} was withdrawn (yanked)", hint="name another with --set-version")
    live = record.live if record else None
    already = live is not None and live.version == version
    before = registry.facts(agent, skill, live.version) if live and not already else None
    return DeployStep(
        skill=skill,
        action="unchanged" if already else "deploy",
        why=f"{version} is live" if already else f"{live.version} is live" if live else "nothing is live",
        version=version,
        previous=live.version if live else None,
        seen=live.number if live else 0,
        key=str(uuid.uuid4()),
        changes=Changes() if already else changes_between(before, facts),
        lower=bool(live and Version.parse(version).key < Version.parse(live.version).key),
        missing=facts.missing(known),
    )
