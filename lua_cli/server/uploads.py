"""The operations on contents and backups: what is missing, where to send it, the arrival itself. In: a `Call` and a
transaction. Out: an `Answer`. A content counts as present for the agent that uploaded it, and for no other.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from sqlalchemy import Connection, text

from lua_cli.registry.protocol import checked_name
from lua_cli.registry.rows import now
from lua_cli.server.arrival import Ticket, check_content, expected_digest, new_ticket, read_ticket, uploaded
from lua_cli.server.bodies import BackupAnswer, BlobAnswer, CheckedAnswer, Manifest, UrlsAnswer
from lua_cli.server.operations import Answer, Call
from lua_cli.server.refusing import RefusedError


def check_blobs(call: Call, tx: Connection) -> Answer:
    names = list(dict.fromkeys(call.body.hashes))
    there = uploaded(tx, call.agent, names)
    return Answer(
        CheckedAnswer(
            missing=[name for name in names if name not in there],
            existing=[name for name in names if name in there],
            results={name: name in there for name in names},
        )
    )


def upload_urls(call: Call, tx: Connection) -> Answer:
    """Addresses that take one content each, for an hour; whoever has one needs no key."""
    checked_name("an agent", call.agent)
    urls = {}
    for name in call.body.hashes:
        ticket = new_ticket(call.agent, name, expected_digest(name, call.body.checksums.get(name)), "put")
        urls[name] = f"{call.base}/blobs/{ticket.signed(call.state.secret)}"
    headers = {name: {"Content-Type": "application/octet-stream"} for name in call.body.hashes}
    return Answer(UrlsAnswer(urls=urls, headers=headers))


def blob_urls(call: Call, tx: Connection) -> Answer:
    """Addresses that give one content each, for those that the agent has uploaded."""
    there = uploaded(tx, call.agent, list(call.body.hashes))
    urls = {
        name: f"{call.base}/blobs/{new_ticket(call.agent, name, digest, 'get').signed(call.state.secret)}"
        for name, digest in there.items()
    }
    return Answer(UrlsAnswer(urls=urls, headers={}))


def admit_blob(call: Call) -> Ticket:
    """The address is looked at before anything is received."""
    return read_ticket(call.path["token"], "put", call.state.secret)


def check_blob(call: Call) -> tuple[Ticket, str]:
    """The content is checked, and written where contents lie, before it is recorded."""
    ticket = admit_blob(call)
    digest = check_content(ticket, call.body)
    call.state.make_room(len(call.body))
    call.state.blobs.keep(digest, call.body)
    return ticket, digest


def put_blob(call: Call, tx: Connection) -> Answer:
    ticket, digest = call.prepared
    call.state.blobs.record(tx, digest, call.body)
    tx.execute(
        text(
            "INSERT INTO uploads (agent, name, digest) VALUES (:agent, :name, :digest)"
            " ON CONFLICT (agent, name) DO UPDATE SET digest = excluded.digest"
        ),
        {"agent": ticket.agent, "name": ticket.name, "digest": digest},
    )
    return Answer(BlobAnswer(digest=digest, size=len(call.body)))


def get_blob(call: Call, tx: Connection) -> Answer:
    ticket = read_ticket(call.path["token"], "get", call.state.secret)
    return Answer(call.state.blobs.fetch(tx, ticket.digest))


def put_manifest(call: Call, tx: Connection) -> Answer:
    """The list of the files of a source backup; each must have been uploaded."""
    body: Manifest = call.body
    names = sorted({file.hash for file in body.files})
    missing = sorted(set(names) - uploaded(tx, call.agent, names).keys())
    if missing:
        raise RefusedError(422, "blob-missing", f"the content {missing[0]} was not uploaded")
    document = {"id": str(uuid.uuid4()), **body.model_dump(by_alias=True, mode="json")}
    created = now()
    tx.execute(
        text(
            "INSERT INTO manifests (agent, body, created) VALUES (:agent, :body, :created)"
            " ON CONFLICT (agent) DO UPDATE SET body = excluded.body, created = excluded.created"
        ),
        {"agent": checked_name("an agent", call.agent), "body": json.dumps(document), "created": created},
    )
    return Answer(_backup(document, created), 201)


def get_manifest(call: Call, tx: Connection) -> Answer:
    query = text("SELECT body, created FROM manifests WHERE agent = :agent")
    row = tx.execute(query, {"agent": call.agent}).one_or_none()
    if row is None:
        raise RefusedError(404, "not-found", f"the agent {call.agent} has no backup")
    return Answer(_backup(json.loads(row.body), row.created))


def _backup(document: dict[str, Any], created: str) -> BackupAnswer:
    return BackupAnswer.model_validate({**document, "createdAt": created})
