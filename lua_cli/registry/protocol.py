"""What a registry is: the values that go in and out, and the calls that every registry answers. Does nothing itself.

Implemented by the embedded registry (SQLite) and by the client of the HTTP API; plans and commands know only this.
Promises of each implementation:

- `put` that returned is kept, also over a kill of the process; (skill, version) means one digest for ever;
- repeating a call with the same arguments never creates a second thing and never fails;
- a reader gets a whole, verified artifact or an error;
- live is the last entry of a history that only grows; `deploy` by someone who has not seen that entry is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from lua_cli.errors import UsageError
from lua_cli.records import field, record
from lua_cli.registry.semver import Version, highest

LONGEST_NAME = 200


@record(frozen=True)
class RegistryPlace:
    """Which registry it is. `key` names it in lua.skill.toml ("embedded", or the address), `where` is for people."""

    kind: Literal["embedded", "http"]
    key: str
    where: str


@record(frozen=True)
class ToolFacts:
    """A tool as the model sees it."""

    name: str
    description: str
    input_schema: Mapping[str, Any] | None
    has_condition: bool = False
    voice_flags: tuple[str, ...] = ()


@record(frozen=True)
class SkillFacts:
    """What a version says of itself, read off its manifest.

    context       the text, or the texts by channel
    instructions  digest of the document that the model loads on demand; "" without one
    env           names of the environment variables that the tools read; those in `defaults` are read with a default
    """

    description: str = ""
    context: str | Mapping[str, str] = ""
    instructions: str = ""
    has_condition: bool = False
    tools: tuple[ToolFacts, ...] = ()
    env: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()

    def missing(self, known: Collection[str]) -> tuple[str, ...]:
        """The variables that a run needs and that are not among the known ones."""
        return tuple(name for name in self.env if name not in known and name not in self.defaults)

    @property
    def tool_names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.tools)


@record(frozen=True)
class VersionRecord:
    """One version in a registry. Everything but `yanked` never changes. `created` is UTC, `2026-11-29T21:57:03Z`."""

    version: str
    digest: str
    size: int
    created: str
    author: str
    tools: tuple[str, ...]
    yanked: bool = False

    @property
    def parsed(self) -> Version:
        return Version.parse(self.version)


@record(frozen=True)
class Deployment:
    """One entry of a skill's history. `number` counts from 1 without gaps; `previous` is the version that was live
    before.
    """

    number: int
    version: str
    previous: str | None
    created: str
    author: str


@record(frozen=True)
class SkillRecord:
    """A skill of an agent: its versions, lowest first, and what is live."""

    id: str
    name: str
    versions: tuple[VersionRecord, ...] = ()
    live: Deployment | None = None

    def find(self, version: str) -> VersionRecord | None:
        """The version of that precedence, yanked ones included; None when there is none."""
        wanted = Version.parse(version).precedence
        return next((record for record in self.versions if record.parsed.precedence == wanted), None)

    @property
    def highest(self) -> VersionRecord | None:
        """The highest version ever pushed, yanked ones and pre-releases included: the next number comes after it."""
        return self.versions[-1] if self.versions else None

    @property
    def latest(self) -> VersionRecord | None:
        """What `latest` means: the highest release that is not yanked, else the highest pre-release."""
        usable = {record.parsed: record for record in self.versions if not record.yanked}
        best = highest(v for v in usable if not v.prerelease) or highest(usable)
        return usable[best] if best else None

    @property
    def seen(self) -> int:
        """The number of the last entry of the history: what a deploy has to have seen (0 before the first)."""
        return self.live.number if self.live else 0


@record(frozen=True)
class Submission:
    """A version to put. `digest` is "sha256:" + hex over `content`.

    base       the highest version that its author knew of, None for none: a push is refused when a higher one than
    `version` has
               come since, because the author would not have chosen that number
    unchecked  leave that out: the number is wanted whatever came
    allowed_secrets  fingerprints of what only looks like a secret: a server that scans what arrives lets it pass
    """

    skill: str
    version: str
    content: bytes = field(repr=False)
    digest: str
    facts: SkillFacts
    base: str | None = None
    unchecked: bool = False
    allowed_secrets: tuple[str, ...] = ()


@record(frozen=True)
class Stored:
    """The answer to `put`. `created` is False when that version with that content was there already."""

    skill_id: str
    record: VersionRecord
    created: bool


def checked_name(what: str, name: str) -> str:
    """`name`, when every registry can hold it and every message show it. Raises UsageError otherwise."""
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME or name in (".", ".."):
        raise UsageError(
            f"{name[:40]!r} cannot be the name of {what}", hint=f"1 to {LONGEST_NAME} printable characters"
        )
    return name


class Registry(Protocol):
    """A registry. An agent is named by its id there; a skill by its name, which is unique in its agent.

    Raises LuaErrors: NotFoundError for a version that is not there, the refusals of `refusals.py`, UnavailableError
    when the registry does not answer, LuaError when what it holds is damaged.
    """

    @property
    def place(self) -> RegistryPlace: ...

    def agents(self) -> tuple[str, ...]:
        """Ids of the agents that this registry has."""
        ...

    def skills(self, agent: str) -> tuple[SkillRecord, ...]:
        """All skills of an agent, by name; empty for an agent that is not there."""
        ...

    def skill(self, agent: str, name: str) -> SkillRecord | None:
        """One skill; None when it was never pushed."""
        ...

    def facts(self, agent: str, name: str, version: str) -> SkillFacts:
        """What a version says of itself."""
        ...

    def artifact(self, agent: str, name: str, version: str) -> bytes:
        """The bytes of a version, verified against its digest."""
        ...

    def put(self, agent: str, submission: Submission) -> Stored:
        """Store a version; agent and skill come into being with their first one."""
        ...

    def history(self, agent: str, name: str) -> tuple[Deployment, ...]:
        """The deployments of a skill, oldest first; the last one is live."""
        ...

    def deploy(self, agent: str, name: str, version: str, *, seen: int, key: str) -> Deployment:
        """Make a version live. `seen` is the number of the last entry that the caller knows of; `key` names this
        deployment, so that repeating the call answers with the first one's entry.
        """
        ...

    def yank(self, agent: str, name: str, version: str, *, yanked: bool = True) -> VersionRecord:
        """Withdraw a version (or take that back): still readable and never reused, but not to be deployed. The live
        one is refused.
        """
        ...

    def variables(self, agent: str) -> frozenset[str] | None:
        """Names of the environment variables that runs of the agent have there; None where the registry holds none, or
        does not say.
        """
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
