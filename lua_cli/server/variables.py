"""The agent's environment variables: read, replaced as a whole, removed one by one. In: a `Call` and a transaction.
Out: an `Answer`, whose ETag stands for the values, so that a replacement can say which ones it has seen.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from sqlalchemy import Connection, text

from lua_cli.errors import NotFoundError
from lua_cli.registry.protocol import checked_name
from lua_cli.server.bodies import VariablesAnswer
from lua_cli.server.operations import Answer, Call
from lua_cli.server.refusing import RefusedError

_LONGEST_VALUE = 64 * 1024


def get_variables(call: Call, tx: Connection) -> Answer:
    """All of them, by name."""
    values = _values(call, tx)
    return Answer(VariablesAnswer(agent_id=call.agent, data=values), headers={"ETag": _etag(call, values)})


def put_variables(call: Call, tx: Connection) -> Answer:
    """All variables of the agent, in place of those that there were. `If-Match` says which ones the caller has seen."""
    checked_name("an agent", call.agent)
    given: Any = call.body.root
    for name, value in given.items():
        if not name or len(name) > 200 or not name.isprintable() or "=" in name or len(value) > _LONGEST_VALUE:
            raise RefusedError(422, "variable-invalid", f"{name[:40]!r} cannot be a variable, or its value is too long")
    if call.state.database.locking:  # a row that is not there yet cannot be locked; SQLite has one writer anyway
        tx.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:agent, 0))"), {"agent": call.agent})
    seen = call.headers.get("if-match", "*").strip()
    if seen not in ("*", _etag(call, _values(call, tx))):
        raise RefusedError(412, "variables-changed", "the variables were changed meanwhile", hint="read them again")
    tx.execute(text("DELETE FROM variables WHERE agent = :agent"), {"agent": call.agent})
    insert = text("INSERT INTO variables (agent, name, value) VALUES (:agent, :name, :value)")
    for name, value in given.items():
        tx.execute(insert, {"agent": call.agent, "name": name, "value": json.dumps(value)})
    return get_variables(call, tx)


def delete_variable(call: Call, tx: Connection) -> Answer:
    """One variable less. Raises NotFoundError for one that is not there."""
    query = text("DELETE FROM variables WHERE agent = :agent AND name = :name")
    if tx.execute(query, {"agent": call.agent, "name": call.path["name"]}).rowcount == 0:
        raise NotFoundError(f"the agent {call.agent} has no variable {call.path['name'][:40]!r}")
    return get_variables(call, tx)


def _values(call: Call, tx: Connection) -> dict[str, str]:
    query = text("SELECT name, value FROM variables WHERE agent = :agent ORDER BY name")
    return {row.name: json.loads(row.value) for row in tx.execute(query, {"agent": call.agent})}


def _etag(call: Call, values: dict[str, str]) -> str:
    """Keyed with the server's secret: a digest of values that can be guessed would give them away."""
    shown = json.dumps(values, sort_keys=True).encode()
    return f'"{hmac.new(call.state.secret, shown, hashlib.sha256).hexdigest()[:32]}"'
