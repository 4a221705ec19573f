"""What a push, a deploy or a rollback would do, as a value: made by `planning.py` before anything is done, printed by
`--dry-run`, done by `execute.py`. Pure data.
"""

from __future__ import annotations

from typing import Literal

from lua_cli.bundle.model import BuiltArtifact
from lua_cli.records import record
from lua_cli.registry.changes import Changes
from lua_cli.registry.protocol import RegistryPlace, SkillFacts, VersionRecord


@record(frozen=True)
class PushStep:
    """Put one version.

    why       in words: "new skill", "the content changed", "1.0.1 has this content"
    version   what it will be, or is; `previous` the highest version there before, None for a first one
    skill_id  the skill's id in the registry, "" when it is new there; `there` the version that has this content already
    lower     `version` is lower than `previous`: wants consent
    missing   environment variables that the tools need and that are not set `missing_at`: "here", "for agent acme"
    allowed_secrets  fingerprints of what only looks like a secret
    """

    artifact: BuiltArtifact
    why: str
    version: str
    previous: str | None
    facts: SkillFacts
    changes: Changes
    skill_id: str = ""
    there: VersionRecord | None = None
    lower: bool = False
    missing: tuple[str, ...] = ()
    missing_at: str = "here"
    allowed_secrets: tuple[str, ...] = ()

    @property
    def skill(self) -> str:
        return self.artifact.skill

    @property
    def action(self) -> Literal["push", "unchanged"]:
        """With "unchanged" the registry has this content already, and nothing is sent."""
        return "unchanged" if self.there else "push"


@record(frozen=True)
class DeployStep:
    """Make one version live.

    previous  the version that is live now, None for none; `seen` is its entry in the history
    key       makes repeating the step harmless
    lower     an older version than the live one
    """

    skill: str
    why: str
    version: str
    previous: str | None
    seen: int
    key: str
    changes: Changes
    missing: tuple[str, ...] = ()
    missing_at: str = "here"
    lower: bool = False

    @property
    def action(self) -> Literal["deploy", "unchanged"]:
        """With "unchanged" the version is live already, and nothing is done."""
        return "unchanged" if self.version == self.previous else "deploy"


@record(frozen=True)
class Plan:
    """The steps, in order, and where: which registry, which agent there."""

    place: RegistryPlace
    agent: str
    steps: tuple[PushStep | DeployStep, ...]

    @property
    def idle(self) -> bool:
        """There is nothing to do."""
        return all(step.action == "unchanged" for step in self.steps)
