"""The operations on skills, versions and what is live. In: a `Call` and a transaction. Out: an `Answer`, or an error
of the registry. The rules are those of `registry/deciding.py`.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from sqlalchemy import Connection, text

from lua_cli.errors import UsageError
from lua_cli.registry.database import DamageError
from lua_cli.registry.deciding import check_deploy, check_yank, version_there
from lua_cli.registry.facts import facts_to_json
from lua_cli.registry.protocol import Deployment, VersionRecord, checked_name
from lua_cli.registry.refusals import no_such_version
from lua_cli.server import records
from lua_cli.server.arrival import arrived_version, forget_upload
from lua_cli.server.bodies import (
    CreatedAnswer,
    DeletedAnswer,
    DeploymentAnswer,
    FactsAnswer,
    HistoryAnswer,
    PublishedAnswer,
    PutAnswer,
    SkillAnswer,
    SkillsAnswer,
    ToolName,
    VersionAnswer,
    VersionsAnswer,
)
from lua_cli.server.operations import Answer, Call
from lua_cli.server.records import HostedSkill, NewVersion
from lua_cli.server.refusing import RefusedError


def list_skills(call: Call, tx: Connection) -> Answer:
    return Answer(SkillsAnswer(skills=[_skill(skill) for skill in records.skills_of(tx, call.agent)]))


def create_skill(call: Call, tx: Connection) -> Answer:
    body, name = call.body, checked_name("a skill", call.body.name)
    checked_name("an agent", call.agent)
    if records.skill_named(tx, call.agent, name):
        raise RefusedError(409, "skill-exists", f"the agent {call.agent} has a skill {name!r} already")
    skill_id = records.add_skill(tx, call.agent, name, body.description, body.context)
    created = CreatedAnswer(
        id=skill_id, name=name, description=body.description, context=body.context, agent_id=call.agent
    )
    return Answer(created, 201)


def delete_skill(call: Call, tx: Connection) -> Answer:
    """A skill without versions goes; one with versions stays as it is and is no longer active."""
    skill = _locked(call, tx)
    if skill.record.versions:
        records.set_active(tx, skill.record.id, False)
        return Answer(DeletedAnswer(deleted=False, deactivated=True))
    records.remove_skill(tx, skill.record.id)
    return Answer(DeletedAnswer(deleted=True, deactivated=False))


def check_version(call: Call) -> NewVersion:
    """What arrives, checked before the transaction that stores it."""
    try:
        with call.state.database.reading() as tx:
            skill = records.skill_of(tx, call.agent, call.path["skill"])
            return arrived_version(tx, call.state.blobs, call.agent, skill.record.name, call.body)
    except DamageError:
        if call.body.artifact is None:
            raise
        digest = call.body.artifact.digest
        call.state.database.write(lambda tx: forget_upload(tx, call.agent, digest))
        raise RefusedError(
            422, "blob-missing", f"the artifact {digest} was damaged here", hint="push again: it is sent anew"
        ) from None


def put_version(call: Call, tx: Connection) -> Answer:
    new: NewVersion = call.prepared
    skill = _locked(call, tx)
    there = version_there(skill.record, new.version, new.digest, call.body.base, call.body.unchecked)
    if there:
        version_id, record, loose = skill.ids[there.version], there, there.version in skill.loose
    else:
        version_id, record = records.add_version(tx, skill.record.id, new, call.author)
        loose = new.loose
    if call.body.source_archive is not None:
        keep_source(tx, skill.record.id, record.version, call.body)
    answer = _version(record, version_id, loose, active=skill.active_version == record.version)
    put = PutAnswer(version_id=version_id, skill_id=skill.record.id, version=record.version, record=answer)
    return Answer(put, 200 if there else 201)


def list_versions(call: Call, tx: Connection) -> Answer:
    skill = records.skill_of(tx, call.agent, call.path["skill"])
    active = skill.ids.get(skill.active_version or "")
    answer = VersionsAnswer(versions=_versions(skill), active_version_id=active)
    return Answer(answer, headers=_etag(skill.record.seen))


def version_facts(call: Call, tx: Connection) -> Answer:
    skill, record = _named(call, tx)
    facts = json.loads(facts_to_json(records.facts_of_version(tx, skill.record.id, record.version)))
    return Answer(FactsAnswer.model_validate(facts))


def artifact(call: Call, tx: Connection) -> Answer:
    skill, record = _named(call, tx)
    if record.version in skill.loose:
        raise RefusedError(
            404, "no-artifact", f"{skill.record.name} {record.version} was pushed by another client: no artifact"
        )
    headers = {"ETag": f'"{record.digest}"', "Cache-Control": "private, immutable, max-age=31536000"}
    return Answer(call.state.blobs.fetch(tx, record.digest), headers=headers)


def history(call: Call, tx: Connection) -> Answer:
    skill = records.skill_of(tx, call.agent, call.path["skill"])
    entries = [_deployment(entry) for entry in records.history_of(tx, skill.record.id)]
    return Answer(HistoryAnswer(history=entries), headers=_etag(skill.record.seen))


def publish(call: Call, tx: Connection) -> Answer:
    """Make a version live. `If-Match` names the last entry that the caller has seen; without it none is asked for."""
    skill, record = _named(call, tx, locked=True)
    key = call.headers.get("x-idempotency-key") or str(uuid.uuid4())
    entry = records.deployment_of(tx, skill.record.id, f"{_key(call)}:{key}")
    if entry is not None and entry.version != record.version:
        raise RefusedError(
            422, "idempotency-key-reused", f"the key was used to make {entry.version} live", hint="use a new key"
        )
    if entry is None:
        check_deploy(skill.record, record, _seen(call, skill.record.seen))
        entry = records.add_deployment(tx, skill.record, record.version, f"{_key(call)}:{key}", call.author)
    answer = PublishedAnswer(
        message=f"{skill.record.name} {entry.version} is live",
        skill_id=skill.record.id,
        active_version_id=skill.ids[entry.version],
        published_at=entry.created,
        deployment=_deployment(entry),
    )
    return Answer(answer, headers=_etag(entry.number))


def yank(call: Call, tx: Connection) -> Answer:
    skill, record = _named(call, tx, locked=True)
    check_yank(skill.record, record, call.body.yanked)
    records.set_yanked(tx, skill.record.id, record.version, call.body.yanked)
    skill, record = _named(call, tx)
    return Answer(_version_of(skill, record))


def keep_source(tx: Connection, skill_id: str, version: str, body: Any) -> None:
    """What a client attaches to a version for people to read; it is no part of what runs."""
    document = json.dumps(body.model_dump(by_alias=True, include={"source_archive", "archive_schema_version", "tools"}))
    tx.execute(
        text(
            "INSERT INTO sources (skill, version, body) VALUES (:skill, :version, :body)"
            " ON CONFLICT (skill, version) DO UPDATE SET body = excluded.body"
        ),
        {"skill": skill_id, "version": version, "body": document},
    )


def named_version(call: Call, tx: Connection) -> tuple[HostedSkill, VersionRecord]:
    """The skill and the version of a path."""
    return _named(call, tx)


def _named(call: Call, tx: Connection, *, locked: bool = False) -> tuple[HostedSkill, VersionRecord]:
    skill = _locked(call, tx) if locked else records.skill_of(tx, call.agent, call.path["skill"])
    wanted = call.path["version"]
    try:
        found = skill.record.find(wanted) or _by_id(skill, wanted)
    except UsageError:
        found = _by_id(skill, wanted)
    if found is None:
        raise no_such_version(skill.record, skill.record.name, wanted)
    return skill, found


def _by_id(skill: HostedSkill, version_id: str) -> VersionRecord | None:
    return next((r for r in skill.record.versions if skill.ids[r.version] == version_id), None)


def _locked(call: Call, tx: Connection) -> HostedSkill:
    return records.skill_of(tx, call.agent, call.path["skill"], call.state.database.locking)


def _seen(call: Call, present: int) -> int:
    asked = call.headers.get("if-match", "*").strip()
    if asked == "*":
        return present
    number = asked.strip('"')
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise RefusedError(400, "if-match-invalid", 'If-Match holds the number of an entry, such as "3"')
    return int(number)


def _key(call: Call) -> str:
    return call.key.id if call.key else ""


def _etag(seen: int) -> dict[str, str]:
    return {"ETag": f'"{seen}"'}


def _skill(skill: HostedSkill) -> SkillAnswer:
    record = skill.record
    shown = record.find(record.live.version) if record.live else record.highest
    return SkillAnswer(
        id=record.id,
        name=record.name,
        description=skill.description,
        context=skill.context,
        agent_id=skill.agent,
        active=skill.active,
        versions=_versions(skill),
        tools=[ToolName(name=name) for name in (shown.tools if shown else ())],
        live=_deployment(record.live) if record.live else None,
    )


def _versions(skill: HostedSkill) -> list[VersionAnswer]:
    return [_version_of(skill, record) for record in skill.record.versions]


def _version_of(skill: HostedSkill, record: VersionRecord) -> VersionAnswer:
    active = skill.active_version == record.version
    return _version(record, skill.ids[record.version], record.version in skill.loose, active=active)


def _version(record: VersionRecord, version_id: str, loose: bool, *, active: bool) -> VersionAnswer:
    """A loose version has no artifact, so no digest and no size of one."""
    return VersionAnswer(
        id=version_id,
        version_id=version_id,
        version=record.version,
        digest="" if loose else record.digest,
        size=0 if loose else record.size,
        created_at=record.created,
        author=record.author,
        tools=[ToolName(name=name) for name in record.tools],
        active=active,
        yanked=record.yanked,
    )


def _deployment(entry: Deployment) -> DeploymentAnswer:
    return DeploymentAnswer(
        entry=entry.number,
        version=entry.version,
        previous=entry.previous,
        created_at=entry.created,
        author=entry.author,
    )
