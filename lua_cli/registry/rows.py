"""The rows of the embedded registry, read and written inside a transaction of the caller.

In: a connection with the schema of `database.py`. Out: the protocol's values. Whatever is read is checked: each row
of a version or a deployment carries a seal (a digest over its fields), the history has no gaps. What does not check
raises `DamageError`.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from datetime import UTC, datetime

from lua_cli.bundle.canonical import digest_of
from lua_cli.registry.database import DamageError
from lua_cli.registry.facts import facts_from_json, facts_to_json
from lua_cli.registry.protocol import Deployment, SkillFacts, SkillRecord, Submission, VersionRecord
from lua_cli.registry.semver import Version


def agents(db: sqlite3.Connection) -> tuple[str, ...]:
    return tuple(row[0] for row in db.execute("SELECT DISTINCT agent FROM skills ORDER BY agent"))


def skills(db: sqlite3.Connection, agent: str) -> tuple[SkillRecord, ...]:
    rows = db.execute("SELECT id, name FROM skills WHERE agent = ? ORDER BY name", (agent,)).fetchall()
    return tuple(_skill(db, *row) for row in rows)


def skill(db: sqlite3.Connection, agent: str, name: str) -> SkillRecord | None:
    row = db.execute("SELECT id, name FROM skills WHERE agent = ? AND name = ?", (agent, name)).fetchone()
    return _skill(db, *row) if row else None


def facts(db: sqlite3.Connection, of: SkillRecord, version: str) -> SkillFacts:
    query = "SELECT said, facts FROM versions WHERE skill = ? AND version = ?"
    row = db.execute(query, (of.id, version)).fetchone()
    if row is None or row[0] != seal_of(row[1]):
        raise DamageError(f"what version {version} says of itself is not what was written")
    return facts_from_json(row[1])


def content(db: sqlite3.Connection, record: VersionRecord) -> bytes:
    row = db.execute("SELECT content FROM blobs WHERE digest = ?", (record.digest,)).fetchone()
    if row is None or not isinstance(row[0], bytes) or digest_of(row[0]) != record.digest:
        raise DamageError(f"the content of version {record.version} is not what was pushed")
    return row[0]


def history(db: sqlite3.Connection, skill_id: str) -> tuple[Deployment, ...]:
    query = (
        "SELECT number, version, previous, created, author, key, seal FROM deployments WHERE skill = ? ORDER BY number"
    )
    entries = []
    for place, (*fields, key, seal) in enumerate(db.execute(query, (skill_id,)), start=1):
        if seal != seal_of(skill_id, *fields, key) or fields[0] != place:
            raise DamageError(f"entry {place} of a history is not what was written")
        entries.append(Deployment(*fields))
    return tuple(entries)


def deployment_of(db: sqlite3.Connection, skill_id: str, key: str) -> Deployment | None:
    """The entry that a key has made before."""
    row = db.execute("SELECT number FROM deployments WHERE skill = ? AND key = ?", (skill_id, key)).fetchone()
    return next((entry for entry in history(db, skill_id) if entry.number == row[0]), None) if row else None


def keep(db: sqlite3.Connection, submission: Submission) -> None:
    """The content under its digest. A copy that was damaged on the disk is mended: the right bytes are at hand."""
    row = db.execute(
        "SELECT content = ? FROM blobs WHERE digest = ?", (submission.content, submission.digest)
    ).fetchone()
    if row is None:
        db.execute("INSERT INTO blobs (digest, content) VALUES (?, ?)", (submission.digest, submission.content))
    elif not row[0]:
        db.execute("UPDATE blobs SET content = ? WHERE digest = ?", (submission.content, submission.digest))


def add_skill(db: sqlite3.Connection, agent: str, name: str) -> str:
    skill_id = str(uuid.uuid4())
    db.execute("INSERT INTO skills (id, agent, name, created) VALUES (?, ?, ?, ?)", (skill_id, agent, name, now()))
    return skill_id


def add_version(db: sqlite3.Connection, skill_id: str, submission: Submission, author: str) -> VersionRecord:
    version, names, text = (
        Version.parse(submission.version),
        submission.facts.tool_names,
        facts_to_json(submission.facts),
    )
    record = VersionRecord(str(version), submission.digest, len(submission.content), now(), author, names)
    fields = (record.version, record.digest, record.size, author, record.created, json.dumps(names), seal_of(text))
    db.execute(
        "INSERT INTO versions (skill, precedence, version, digest, size, author, created, tools, said, seal, facts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (skill_id, version.precedence, *fields, seal_of(skill_id, *fields), text),
    )
    return record


def add_deployment(db: sqlite3.Connection, to: SkillRecord, version: str, key: str, author: str) -> Deployment:
    previous = to.live.version if to.live else None
    entry = Deployment(to.seen + 1, version, previous, now(), author)
    fields = (entry.number, entry.version, entry.previous, entry.created, entry.author, key)
    db.execute(
        "INSERT INTO deployments (skill, number, version, previous, created, author, key, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (to.id, *fields, seal_of(to.id, *fields)),
    )
    return entry


def set_yanked(db: sqlite3.Connection, skill_id: str, version: str, yanked: bool) -> None:
    query = "UPDATE versions SET yanked = ? WHERE skill = ? AND version = ?"
    db.execute(query, (int(yanked), skill_id, version))


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _skill(db: sqlite3.Connection, skill_id: str, name: str) -> SkillRecord:
    query = "SELECT version, digest, size, author, created, tools, said, seal, yanked FROM versions WHERE skill = ?"
    versions = []
    for *fields, seal, yanked in db.execute(query, (skill_id,)):
        version, digest, size, author, created, tools, _ = fields
        if seal != seal_of(skill_id, *fields):
            raise DamageError(f"the record of {name} {version} is not what was written")
        versions.append(VersionRecord(version, digest, size, created, author, tuple(json.loads(tools)), bool(yanked)))
    versions.sort(key=lambda record: record.parsed.key)
    entries = history(db, skill_id)
    return SkillRecord(skill_id, name, tuple(versions), entries[-1] if entries else None)


def seal_of(*fields: object) -> str:
    """`default`: a damaged cell may read as bytes, and then has to differ, not to fail."""
    return hashlib.sha256(json.dumps(fields, separators=(",", ":"), default=repr).encode()).hexdigest()
