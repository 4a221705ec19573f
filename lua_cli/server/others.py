"""The operations beside skills: whose key it is, the agent's variables, drafts, and the kinds that are not hosted here.
In: a `Call` and a transaction. Out: an `Answer`.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from sqlalchemy import Connection, text

from lua_cli.errors import NotFoundError
from lua_cli.registry.rows import now
from lua_cli.server import records
from lua_cli.server.bodies import AgentAnswer, MeAnswer, SandboxAnswer, SourceAnswer, VariablesAnswer
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
_LONGEST_VARIABLE = 64 * 1024


def me(call: Call, tx: Connection) -> Answer:
    """The key itself. A key for every agent names those that there are."""
    key = call.key
    if key is None:
        raise RefusedError(401, "unauthorised", "a key is needed")
    agents = key.agents or records.agents(tx)
    named = [AgentAnswer(id=agent, name=agent) for agent in agents]
    return Answer(MeAnswer(key=key.name, agents=named, scopes=list(key.scopes)))


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


def variables(call: Call, tx: Connection) -> Answer:
    query = text("SELECT name, value FROM variables WHERE agent = :agent ORDER BY name")
    rows = tx.execute(query, {"agent": call.agent})
    return Answer(VariablesAnswer(agent_id=call.agent, data={row.name: json.loads(row.value) for row in rows}))


def put_variables(call: Call, tx: Connection) -> Answer:
    """All variables of the agent, in place of those that there were."""
    given: Any = call.body.root
    for name, value in given.items():
        if not name or len(name) > 200 or not name.isprintable() or "=" in name or len(value) > _LONGEST_VARIABLE:
            raise RefusedError(422, "variable-invalid", f"{name[:40]!r} cannot be a variable, or its value is too long")
    tx.execute(text("DELETE FROM variables WHERE agent = :agent"), {"agent": call.agent})
    insert = text("INSERT INTO variables (agent, name, value) VALUES (:agent, :name, :value)")
    for name, value in given.items():
        tx.execute(insert, {"agent": call.agent, "name": name, "value": json.dumps(value)})
    return variables(call, tx)


def delete_variable(call: Call, tx: Connection) -> Answer:
    query = text("DELETE FROM variables WHERE agent = :agent AND name = :name")
    if tx.execute(query, {"agent": call.agent, "name": call.path["name"]}).rowcount == 0:
        raise NotFoundError(f"the agent {call.agent} has no variable {call.path['name'][:40]!r}")
    return variables(call, tx)
