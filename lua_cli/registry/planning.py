"""Makes plans. In: a registry, which is only read, what was built, what the user wants. Out: a `Plan`. Whatever can
be refused before anything is done is refused here.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from lua_cli.bundle.model import BuiltArtifact
from lua_cli.errors import NotFoundError
from lua_cli.records import field, record
from lua_cli.registry.changes import Changes, changes_between
from lua_cli.registry.facts import facts_of
from lua_cli.registry.plan import DeployStep, Plan, PushStep
from lua_cli.registry.protocol import Deployment, Registry, SkillFacts, SkillRecord, VersionRecord
from lua_cli.registry.refusals import VersionTakenError, YankedError, no_such_version
from lua_cli.registry.semver import FIRST, Version

LATEST = "latest"


@record(frozen=True, slots=False)
class Planner:
    """Plans for one agent of a registry. `known` are the names of the environment variables that are set here, which
    count where the registry has none of its own; `remembered` are the versions, by skill, that this project pushed
    there as far as it knows; `allowed_secrets` are fingerprints of what only looks like a secret.
    """

    registry: Registry
    agent: str
    known: Collection[str] = ()
    remembered: Mapping[str, str] = field(default_factory=dict)
    allowed_secrets: tuple[str, ...] = ()

    def push(self, artifacts: Iterable[BuiltArtifact], *, version: Version | None = None, deploy: bool = False) -> Plan:
        """Put these artifacts, each as `version` or as the next patch of its skill, and with `deploy` make them live.

        Raises VersionTakenError when `version` exists with other content.
        """
        steps: list[PushStep | DeployStep] = []
        for built in artifacts:
            record = self.registry.skill(self.agent, built.skill)
            step = self._push_step(built, record, version)
            steps.append(step)
            if deploy:
                steps.append(self._deploy_step(step.skill, record, step.version, step.facts, built))
        return self._plan(*steps)

    def deploy(self, skill: str, version: str) -> Plan:
        """Make `version`, or "latest", live. Raises NotFoundError and YankedError."""
        record = self.registry.skill(self.agent, skill)
        if record is None or not record.versions:
            raise no_such_version(record, skill, version)
        found = record.latest if version == LATEST else record.find(version)
        if found is None and version == LATEST:
            raise YankedError(
                f"all versions of {skill} were withdrawn (yanked)", hint=f"push one: `lua push skill --name {skill}`"
            )
        if found is None:
            raise no_such_version(record, skill, version)
        facts = self.registry.facts(self.agent, skill, found.version)
        return self._plan(self._deploy_step(skill, record, found.version, facts))

    def deploy_all(self, own: Collection[str]) -> Plan:
        """Make the latest version of each of these skills live; those of other projects stay as they are."""
        there = [record for record in self.registry.skills(self.agent) if record.latest]
        records = [record for record in there if record.name in own]
        if not records:
            others = ": there is " + ", ".join(record.name for record in there) if there else ""
            whose = "has no versions of this project's skills" if there else "has no versions to deploy"
            raise NotFoundError(f"the agent {self.agent} {whose}{others}", hint="lua push all")
        return self._plan(*(step for record in records for step in self.deploy(record.name, LATEST).steps))

    def rollback(self, skill: str, version: str | None = None) -> Plan:
        """Make `version` live, or the version that was live before the present one."""
        if version is not None:
            return self.deploy(skill, version)
        record = self.registry.skill(self.agent, skill)
        live = record.live if record else None
        before = _before(self.registry.history(self.agent, skill), live) if live else None
        if live is None or before is None:
            so_far = f"nothing was live before {live.version}" if live else "no version was ever live"
            raise NotFoundError(
                f"{skill} has nothing to roll back to: {so_far}",
                hint=f"`lua skills versions {skill}` lists what there is; name one with --set-version",
            )
        return self.deploy(skill, before)

    @cached_property
    def _there(self) -> frozenset[str] | None:
        return self.registry.variables(self.agent)

    def _missing(self, facts: SkillFacts) -> tuple[tuple[str, ...], str]:
        """Variables that a run needs and would not have, and where. The registry is asked only for a skill that needs
        some.
        """
        if not facts.missing(()):
            return (), "here"
        if self._there is None:
            return facts.missing(self.known), "here"
        return facts.missing(self._there), f"for agent {self.agent}"

    def _plan(self, *steps: PushStep | DeployStep) -> Plan:
        return Plan(self.registry.place, self.agent, steps)

    def _push_step(self, built: BuiltArtifact, record: SkillRecord | None, version: Version | None) -> PushStep:
        highest = record.highest if record else None
        there = _there_already(record, version, built.digest)
        if there:
            facts, changes = self.registry.facts(self.agent, built.skill, there.version), Changes()
        else:
            before = self.registry.facts(self.agent, built.skill, highest.version) if highest else None
            facts = facts_of(built.manifest)
            changes = self._with_agent(changes_between(before, facts), built, highest)
        wanted = version or (highest.parsed.next_patch() if highest else FIRST)
        missing, missing_at = self._missing(facts)
        return PushStep(
            artifact=built,
            why=_why(built.digest, record, there) + self._lost(built.skill, record),
            version=there.version if there else str(wanted),
            previous=highest.version if highest else None,
            facts=facts,
            changes=changes,
            skill_id=record.id if record else "",
            there=there,
            lower=bool(not there and highest and wanted.key < highest.parsed.key),
            missing=missing,
            missing_at=missing_at,
            allowed_secrets=self.allowed_secrets,
        )

    def _with_agent(self, changes: Changes, built: BuiltArtifact, version: VersionRecord | None) -> Changes:
        """What changes in an agent of flows, which only the artifacts tell: that of the registry is fetched for it."""
        if version is None or not version.digest or "flow" not in built.manifest:
            return changes
        from lua_cli.bundle import open_artifact
        from lua_cli.registry.agents_of_flows import with_agents

        there = open_artifact(self.registry.artifact(self.agent, built.skill, version.version))
        return with_agents(changes, there, built.open())

    def _lost(self, skill: str, record: SkillRecord | None) -> str:
        """What to say of a version that this project pushed and that the registry does not have."""
        version = self.remembered.get(skill)
        if version is None or (record and record.find(version)):
            return ""
        return f"; lua.skill.toml knows {version}, which is not in this registry"

    def _deploy_step(
        self,
        skill: str,
        record: SkillRecord | None,
        version: str,
        facts: SkillFacts,
        built: BuiltArtifact | None = None,
    ) -> DeployStep:
        """`version` need not exist yet: a push of `built` before this step makes it."""
        found = record.find(version) if record else None
        if found and found.yanked:
            raise YankedError(f"{skill} {version} was withdrawn (yanked)", hint="name another with --set-version")
        live = record.live if record else None
        already = live is not None and live.version == version
        before = self.registry.facts(self.agent, skill, live.version) if live and not already else None
        changes = Changes() if already else changes_between(before, facts)
        if built is not None and not already:
            changes = self._with_agent(changes, built, record.find(live.version) if record and live else None)
        missing, missing_at = self._missing(facts)
        return DeployStep(
            skill=skill,
            why=f"{live.version} is live" if live else "nothing is live",
            version=version,
            previous=live.version if live else None,
            seen=live.number if live else 0,
            key=str(uuid.uuid4()),
            changes=changes,
            missing=missing,
            missing_at=missing_at,
            lower=bool(live and Version.parse(version).key < Version.parse(live.version).key),
        )


def _before(history: Sequence[Deployment], live: Deployment) -> str | None:
    """The version that was live before the present one. Going back to a version takes back all that came after it, so
    that one rollback after another goes further back, and none goes forward to what was rolled back.
    """
    if not history:  # a server that keeps none
        return live.previous
    stack: list[str] = []
    for entry in history:
        if entry.version in stack:
            del stack[stack.index(entry.version) + 1 :]
        else:
            stack.append(entry.version)
    return stack[-2] if len(stack) > 1 else None


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
