"""The rows of skills, versions and deployments, read and written inside a transaction of the caller.

In: a connection. Out: the registry's values. Whatever is read is checked against its seal (a digest over the fields);
what does not check raises `DamageError`. Decides nothing: `registry/deciding.py` does.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, text

from lua_cli.errors import NotFoundError
from lua_cli.records import record
from lua_cli.registry.database import DamageError
from lua_cli.registry.facts import facts_from_json, facts_to_json
from lua_cli.registry.protocol import Deployment, SkillFacts, SkillRecord, VersionRecord
from lua_cli.registry.rows import now, seal_of
from lua_cli.registry.semver import Version


@record(frozen=True)
class NewVersion:
    """A version to store: an artifact's, or a loose one, whose `body` is what its client sent."""

    version: str
    digest: str
    size: int
    facts: SkillFacts
    body: str = ""

    @property
    def loose(self) -> bool:
        return bool(self.body)


@record(frozen=True)
class HostedSkill:
    """A skill as the server has it: the record, and by version its id and whether it is loose."""

    record: SkillRecord
    agent: str
    description: str
    context: str | dict[str, str]
    active: bool
    ids: Mapping[str, str]
    loose: frozenset[str]

    @property
    def active_version(self) -> str | None:
        return self.record.live.version if self.record.live and self.active else None


def agents(tx: Connection) -> tuple[str, ...]:
    """All agents that have a skill or a key."""
    query = "SELECT agent FROM skills UNION SELECT agent FROM key_agents"
    return tuple(sorted(row.agent for row in tx.execute(text(query))))


def skills_of(tx: Connection, agent: str) -> tuple[HostedSkill, ...]:
    return _skills(tx, "agent = :agent", {"agent": agent})


def skill_of(tx: Connection, agent: str, skill_id: str, locking: str = "") -> HostedSkill:
    """One skill of an agent, by id. With `locking` nobody else changes it until the transaction ends."""
    found = _skills(tx, "agent = :agent AND id = :id", {"agent": agent, "id": skill_id}, locking)
    if not found:
        raise NotFoundError(f"the agent {agent} has no skill with the id {skill_id[:80]}")
    return found[0]


def skill_named(tx: Connection, agent: str, name: str) -> HostedSkill | None:
    found = _skills(tx, "agent = :agent AND name = :name", {"agent": agent, "name": name})
    return found[0] if found else None


def add_skill(tx: Connection, agent: str, name: str, description: str, context: str | Mapping[str, str]) -> str:
    skill_id = str(uuid.uuid4())
    tx.execute(
        text(
            "INSERT INTO skills (id, agent, name, description, context, created)"
            " VALUES (:id, :agent, :name, :description, :context, :created)"
        ),
        {
            "id": skill_id,
            "agent": agent,
            "name": name,
            "description": json.dumps(description),
            "context": json.dumps(context),
            "created": now(),
        },
    )
    return skill_id


def remove_skill(tx: Connection, skill_id: str) -> None:
    """Take back a skill that has no versions."""
    for query in ("DELETE FROM sandboxes WHERE skill = :id", "DELETE FROM skills WHERE id = :id"):
        tx.execute(text(query), {"id": skill_id})


def set_active(tx: Connection, skill_id: str, active: bool) -> None:
    tx.execute(text("UPDATE skills SET active = :active WHERE id = :id"), {"active": int(active), "id": skill_id})


def facts_of_version(tx: Connection, skill_id: str, version: str) -> SkillFacts:
    query = text("SELECT said, facts FROM versions WHERE skill = :skill AND version = :version")
    row = tx.execute(query, {"skill": skill_id, "version": version}).one()
    if row.said != seal_of(row.facts):
        raise DamageError(f"what version {version} says of itself is not what was written")
    return facts_from_json(row.facts)


def add_version(tx: Connection, skill_id: str, new: NewVersion, author: str) -> tuple[str, VersionRecord]:
    """The id and the record of a version that was not there before."""
    version, facts = Version.parse(new.version), facts_to_json(new.facts)
    names = new.facts.tool_names
    record = VersionRecord(str(version), new.digest, new.size, now(), author, names)
    values: dict[str, Any] = {
        "id": str(uuid.uuid4()),
        "skill": skill_id,
        "version": record.version,
        "digest": record.digest,
        "size": record.size,
        "author": author,
        "created": record.created,
        "tools": json.dumps(names),
        "loose": int(new.loose),
        "said": seal_of(facts),
    }
    values |= {"seal": _seal(values), "precedence": version.precedence, "facts": facts, "body": new.body}
    columns = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    tx.execute(text(f"INSERT INTO versions ({columns}) VALUES ({marks})"), values)  # noqa: S608  # constant names
    return values["id"], record


def set_yanked(tx: Connection, skill_id: str, version: str, yanked: bool) -> None:
    query = text("UPDATE versions SET yanked = :yanked WHERE skill = :skill AND version = :version")
    tx.execute(query, {"yanked": int(yanked), "skill": skill_id, "version": version})


def history_of(tx: Connection, skill_id: str) -> tuple[Deployment, ...]:
    return _histories(tx, [skill_id])[skill_id]


def deployment_of(tx: Connection, skill_id: str, key: str) -> Deployment | None:
    """The entry that a key has made before."""
    query = text("SELECT number FROM deployments WHERE skill = :skill AND key = :key")
    number = tx.execute(query, {"skill": skill_id, "key": key}).scalar_one_or_none()
    return history_of(tx, skill_id)[number - 1] if number else None


def add_deployment(tx: Connection, to: SkillRecord, version: str, key: str, author: str) -> Deployment:
    entry = Deployment(to.seen + 1, version, to.live.version if to.live else None, now(), author)
    values = {
        "number": entry.number,
        "version": entry.version,
        "previous": entry.previous,
        "created": entry.created,
        "author": entry.author,
        "key": key,
    }
    seal = seal_of(to.id, *values.values())
    tx.execute(
        text(
            "INSERT INTO deployments (skill, number, version, previous, created, author, key, seal)"
            " VALUES (:skill, :number, :version, :previous, :created, :author, :key, :seal)"
        ),
        {**values, "skill": to.id, "seal": seal},
    )
    set_active(tx, to.id, True)
    return entry


def _seal(values: Mapping[str, Any]) -> str:
    names = ("skill", "version", "digest", "size", "author", "created", "tools", "said")
    return seal_of(*(values[name] for name in names))


def _skills(tx: Connection, where: str, values: dict[str, Any], locking: str = "") -> tuple[HostedSkill, ...]:
    query = f"SELECT id, agent, name, description, context, active FROM skills WHERE {where} ORDER BY name{locking}"  # noqa: S608
    rows = tx.execute(text(query), values).all()
    ids = [row.id for row in rows]
    versions, histories = _versions(tx, ids), _histories(tx, ids)
    return tuple(_hosted(row, versions[row.id], histories[row.id]) for row in rows)


def _hosted(row: Row[Any], versions: list[Row[Any]], history: tuple[Deployment, ...]) -> HostedSkill:
    records = sorted((_record(row.name, version) for version in versions), key=lambda record: record.parsed.key)
    return HostedSkill(
        record=SkillRecord(row.id, row.name, tuple(records), history[-1] if history else None),
        agent=row.agent,
        description=json.loads(row.description),
        context=json.loads(row.context),
        active=bool(row.active),
        ids={version.version: version.id for version in versions},
        loose=frozenset(version.version for version in versions if version.loose),
    )


def _record(name: str, row: Row[Any]) -> VersionRecord:
    if row.seal != _seal(dict(row._mapping)):
        raise DamageError(f"the record of {name} {row.version} is not what was written")
    tools = tuple(json.loads(row.tools))
    return VersionRecord(row.version, row.digest, row.size, row.created, row.author, tools, bool(row.yanked))


def _versions(tx: Connection, skills: list[str]) -> dict[str, list[Row[Any]]]:
    found: dict[str, list[Row[Any]]] = {skill: [] for skill in skills}
    columns = "id, skill, version, digest, size, author, created, tools, loose, said, seal, yanked"
    for row in _of_skills(tx, columns, "versions", skills):
        found[row.skill].append(row)
    return found


def _histories(tx: Connection, skills: list[str]) -> dict[str, tuple[Deployment, ...]]:
    found: dict[str, list[Deployment]] = {skill: [] for skill in skills}
    columns = "skill, number, version, previous, created, author, key, seal"
    for row in sorted(_of_skills(tx, columns, "deployments", skills), key=lambda row: int(row.number)):
        fields = (row.number, row.version, row.previous, row.created, row.author)
        entries = found[row.skill]
        if row.seal != seal_of(row.skill, *fields, row.key) or row.number != len(entries) + 1:
            raise DamageError(f"entry {len(entries) + 1} of a history is not what was written")
        entries.append(Deployment(*fields))
    return {skill: tuple(entries) for skill, entries in found.items()}


def _of_skills(tx: Connection, columns: str, table: str, skills: list[str]) -> Iterable[Row[Any]]:
    """The rows of some skills: one query for a whole agent, not one for each skill."""
    for start in range(0, len(skills), 500):
        part = {f"s{n}": skill for n, skill in enumerate(skills[start : start + 500])}
        marks = ", ".join(f":{name}" for name in part)
        query = f"SELECT {columns} FROM {table} WHERE skill IN ({marks})"  # noqa: S608  # constant names
        yield from tx.execute(text(query), part)
