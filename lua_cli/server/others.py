"""The operations beside skills: whose key it is, drafts, and the kinds that are not hosted here.
In: a `Call` and a transaction. Out: an `Answer`.
"""

from __future__ import annotations

import json
import uuid

from sqlalchemy import Connection, text

from lua_cli.errors import NotFoundError
from lua_cli.registry.rows import now
from lua_cli.server import records
from lua_cli.server.bodies import AgentAnswer, MeAnswer, SandboxAnswer, SourceAnswer
from lua_cli.server.operations import Answer, Call
from lua_cli.server.refusing import RefusedError
from lua_cli.server.skills import keep_source, named_version

# Kinds of the platform that this server has none of; its clients ask for each of them before a push.
KINDS = {
    "webhooks": "webhooks",
    "triggers": "triggers",
    "jobs": "jobs",
    "preprocessors": "preprocessors",
    "postprocessors": "postprocessors",
    "devices": "devices",
    "device-triggers": "deviceTriggers",
    "workflows": "workflows",
    "voice-agents": "voices",
}


def me(call: Call, tx: Connection) -> Answer:
    """The key itself. A key for every agent names those that there are."""
    key = call.key
    if key is None:
        raise RefusedError(401, "unauthorised", "a key is needed")
    agents = key.agents or records.agents(tx)
    named = [AgentAnswer(id=agent, name=agent) for agent in agents]
    return Answer(MeAnswer(key=key.name, agents=named, every_agent=not key.agents, scopes=list(key.scopes)))


def no_items(call: Call, tx: Connection) -> Answer:
    """The empty list, in the form of its kind."""
    kind = call.path.get("kind")
    if kind is None:
        return Answer([])
    if kind not in KINDS:
        raise RefusedError(404, "not-found", f"there is no kind {kind!r}")
    return Answer({KINDS[kind]: []})


def put_sandbox(call: Call, tx: Connection) -> Answer:
    """A draft: kept as it was sent, never deployed, changed at will."""
    skill = records.skill_of(tx, call.agent, call.path["skill"])
    draft = call.path.get("draft")
    values = {"skill": skill.record.id, "body": json.dumps(call.body.model_dump(by_alias=True)), "created": now()}
    if draft is None:
        draft = str(uuid.uuid4())
        query = text("INSERT INTO sandboxes (id, skill, body, created) VALUES (:id, :skill, :body, :created)")
        tx.execute(query, {**values, "id": draft})
        return Answer(SandboxAnswer(version_id=draft, skill_id=skill.record.id, version=call.body.version), 201)
    update = text("UPDATE sandboxes SET body = :body, created = :created WHERE id = :id AND skill = :skill")
    if tx.execute(update, {**values, "id": draft}).rowcount == 0:
        raise NotFoundError(f"{skill.record.name} has no draft {draft[:80]}")
    return Answer(SandboxAnswer(version_id=draft, skill_id=skill.record.id, version=call.body.version))


def put_source(call: Call, tx: Connection) -> Answer:
    skill, record = named_version(call, tx)
    keep_source(tx, skill.record.id, record.version, call.body)
    return Answer(SourceAnswer(version=record.version, attached=True))
