"""The embedded registry: one SQLite file for all projects of a user, offline and with no account.

In: a path and who is asking. Out: the `Registry` protocol. An agent's id here is its name. Every write is one
transaction that takes the lock first. The file comes into being with the first push, not by looking.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from lua_cli.bundle.canonical import digest_of
from lua_cli.errors import LuaError
from lua_cli.registry import rows
from lua_cli.registry.database import BUSY_SECONDS, empty_database, explained, open_database, snapshot, transaction
from lua_cli.registry.deciding import check_deploy, check_yank, version_there
from lua_cli.registry.protocol import (
    Deployment,
    RegistryPlace,
    SkillFacts,
    SkillRecord,
    Stored,
    Submission,
    VersionRecord,
    checked_name,
)
from lua_cli.registry.refusals import no_such_version
from lua_cli.registry.semver import Version
from lua_cli.registry.standing import standing_of


class EmbeddedRegistry:
    """The registry in the file `path`. `author` goes into what this one pushes and deploys. Not for several threads
    at once.
    """

    def __init__(self, path: Path, *, author: str = "", busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        self._author = author
        self._busy_seconds = busy_seconds
        self._connection: sqlite3.Connection | None = None

    @property
    def place(self) -> RegistryPlace:
        return RegistryPlace("embedded", "embedded", str(self.path))

    def agents(self) -> tuple[str, ...]:
        with self._reading() as db:
            return rows.agents(db)

    def skills(self, agent: str) -> tuple[SkillRecord, ...]:
        with self._reading() as db:
            return rows.skills(db, agent)

    def variables(self, agent: str) -> None:
        """None: its runs are runs here, with the variables that are set here."""

    def skill(self, agent: str, name: str) -> SkillRecord | None:
        with self._reading() as db:
            return rows.skill(db, agent, name)

    def facts(self, agent: str, name: str, version: str) -> SkillFacts:
        with self._reading() as db:
            skill, record = _version(db, agent, name, version)
            return rows.facts(db, skill, record.version)

    def artifact(self, agent: str, name: str, version: str) -> bytes:
        with self._reading() as db:
            return rows.content(db, _version(db, agent, name, version)[1])

    def standing(self, agent: str, skills: Sequence[tuple[str, str]]) -> tuple[tuple[SkillRecord | None, ...], str]:
        """These skills as they are, verified, and the digest that tells whether they still are (`standing.py`)."""
        with self._reading() as db:
            records = tuple(rows.skill(db, agent, name) for name, _ in skills)
            for record, (_, version) in zip(records, skills, strict=True):
                if record and any(one.version == version for one in record.versions):
                    rows.facts(db, record, version)
            return records, standing_of(db, agent, skills)

    def put(self, agent: str, submission: Submission) -> Stored:
        name = checked_name("a skill", submission.skill)
        Version.parse(submission.version)
        if digest_of(submission.content) != submission.digest:
            raise LuaError(f"the artifact of {name} does not match its digest", hint="compile again: `lua compile`")
        with self._writing(create=True) as db:
            skill = rows.skill(db, checked_name("an agent", agent), name)
            there = version_there(skill, submission.version, submission.digest, submission.base, submission.unchecked)
            rows.keep(db, submission)
            if skill and there:
                return Stored(skill.id, there, created=False)
            skill_id = skill.id if skill else rows.add_skill(db, agent, name)
            return Stored(skill_id, rows.add_version(db, skill_id, submission, self._author), created=True)

    def history(self, agent: str, name: str) -> tuple[Deployment, ...]:
        with self._reading() as db:
            skill = rows.skill(db, agent, name)
            return rows.history(db, skill.id) if skill else ()

    def deploy(self, agent: str, name: str, version: str, *, seen: int, key: str) -> Deployment:
        with self._writing() as db:
            skill, record = _version(db, agent, name, version)
            if answered := rows.deployment_of(db, skill.id, key):
                return answered
            check_deploy(skill, record, seen)
            return rows.add_deployment(db, skill, record.version, key, self._author)

    def yank(self, agent: str, name: str, version: str, *, yanked: bool = True) -> VersionRecord:
        with self._writing() as db:
            skill, record = _version(db, agent, name, version)
            check_yank(skill, record, yanked)
            rows.set_yanked(db, skill.id, record.version, yanked)
            return _version(db, agent, name, version)[1]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A snapshot of the registry; where nothing was ever pushed, of an empty one."""
        with explained(self.path):
            db = self._open(create=False)
            with snapshot(db):
                yield db

    @contextmanager
    def _writing(self, *, create: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction: committed when the block ends, as if it never was when it raises."""
        with explained(self.path):
            db = self._open(create=create)
            with transaction(db):
                yield db

    def _open(self, *, create: bool) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_database(self.path, create=create, busy_seconds=self._busy_seconds)
        return self._connection or empty_database()


def _version(db: sqlite3.Connection, agent: str, name: str, version: str) -> tuple[SkillRecord, VersionRecord]:
    """A skill and one of its versions. Raises NotFoundError with those that are there."""
    skill = rows.skill(db, agent, name)
    record = skill.find(version) if skill else None
    if skill is None or record is None:
        raise no_such_version(skill, name, version)
    return skill, record
