"""What arrives: contents and versions, checked completely before anything of them is kept.

In: what a client claims, and the bytes that it uploaded. Out: a `NewVersion` whose facts come from the content itself,
or a refusal with a code. Digests are recomputed; nothing that a client says of an artifact is believed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, text

from lua_cli.bundle import find_secrets, texts_of
from lua_cli.bundle.canonical import digest_of
from lua_cli.bundle.opening import open_artifact
from lua_cli.errors import LuaError
from lua_cli.records import record
from lua_cli.registry.facts import facts_of
from lua_cli.registry.protocol import SkillFacts, ToolFacts
from lua_cli.registry.semver import Version
from lua_cli.server.blobs import Blobs
from lua_cli.server.bodies import Artifact, PutVersion
from lua_cli.server.records import NewVersion
from lua_cli.server.refusing import RefusedError

UPLOAD_SECONDS = 3600
_CONTEXTS = {"base", "voice", "text"}


@record(frozen=True)
class Ticket:
    """What an upload address stands for: an agent's content under a name. `digest` is what it must have, "" for any."""

    agent: str
    name: str
    digest: str
    kind: str
    until: int

    def signed(self, secret: bytes) -> str:
        fields = [self.agent, self.name, self.digest, self.kind, self.until]
        text = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")
        return f"{text}.{_signature(text, secret)}"


def read_ticket(signed: str, kind: str, secret: bytes) -> Ticket:
    """The ticket, when it is ours, of that kind, and not too old."""
    text, _, signature = signed.rpartition(".")
    if not text or not hmac.compare_digest(signature.encode(), _signature(text, secret).encode()):
        raise RefusedError(403, "address-invalid", "the address is not one that was given out")
    fields = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    ticket = Ticket(*fields)
    if ticket.kind != kind or ticket.until < time.time():
        raise RefusedError(403, "address-expired", "the address is too old", hint="ask for another one")
    return ticket


def new_ticket(agent: str, name: str, digest: str, kind: str) -> Ticket:
    return Ticket(agent, name, digest, kind, int(time.time()) + UPLOAD_SECONDS)


def expected_digest(name: str, checksum: str | None) -> str:
    """What the content under `name` must have: a whole name is its digest; a short one may come with a checksum."""
    if checksum is not None:
        try:
            claimed = base64.b64decode(checksum, validate=True).hex()
        except (binascii.Error, ValueError):
            claimed = ""
        if len(claimed) != 64 or (len(name) == 64 and claimed != name):
            raise RefusedError(422, "checksum-invalid", f"the checksum of {name} is not the SHA-256 of that name")
        return f"sha256:{claimed}"
    return f"sha256:{name}" if len(name) == 64 else ""


def check_content(ticket: Ticket, content: bytes) -> str:
    """The digest of what was uploaded. Raises RefusedError when it is not what was announced."""
    digest = digest_of(content)
    if ticket.digest and digest != ticket.digest:
        raise RefusedError(
            422, "digest-mismatch", f"the content of {ticket.name} has another digest", hint="send it again"
        )
    return digest


def uploaded(tx: Connection, agent: str, names: list[str]) -> dict[str, str]:
    """Which of these names the agent has uploaded, and their digests."""
    found: dict[str, str] = {}
    for start in range(0, len(names), 500):
        part = {f"n{i}": name for i, name in enumerate(names[start : start + 500])}
        marks = ", ".join(f":{name}" for name in part)
        query = f"SELECT name, digest FROM uploads WHERE agent = :agent AND name IN ({marks})"  # noqa: S608
        found |= {row.name: row.digest for row in tx.execute(text(query), {**part, "agent": agent})}
    return found


def forget_upload(tx: Connection, agent: str, digest: str) -> None:
    """The content is called missing from now on, so that the next push sends it again."""
    query = text("DELETE FROM uploads WHERE agent = :agent AND digest = :digest")
    tx.execute(query, {"agent": agent, "digest": digest})


def arrived_version(tx: Connection, blobs: Blobs, agent: str, skill: str, body: PutVersion) -> NewVersion:
    """The version that a body speaks of, checked against the contents that were uploaded for it."""
    version = str(Version.parse(body.version))
    if body.base is not None:
        Version.parse(body.base)
    if body.artifact is not None:
        return _artifact_version(tx, blobs, agent, skill, version, body, body.artifact)
    return _loose_version(tx, agent, skill, version, body)


def _artifact_version(
    tx: Connection, blobs: Blobs, agent: str, skill: str, version: str, body: PutVersion, claimed: Artifact
) -> NewVersion:
    digest = claimed.digest
    blob = digest.removeprefix("sha256:")
    odd = sorted({tool.code_s3_hash for tool in body.tools} - {blob})
    if odd:
        raise RefusedError(422, "tools-mismatch", f"a tool names the content {odd[0]}, which is not the artifact")
    if uploaded(tx, agent, [blob]).get(blob) != digest:
        raise RefusedError(422, "blob-missing", f"the artifact {digest} was not uploaded")
    content = blobs.fetch(tx, digest)
    if len(content) != claimed.size:
        raise RefusedError(422, "size-mismatch", f"the artifact has {len(content)} bytes, not {claimed.size}")
    try:
        opened = open_artifact(content)
    except LuaError as error:
        raise RefusedError(422, "artifact-invalid", error.message, hint=error.hint) from error
    if opened.skill != skill:
        raise RefusedError(422, "skill-mismatch", f"the artifact is of the skill {opened.skill!r}, not of {skill!r}")
    _refuse_secrets({**texts_of(opened.manifest), **opened.files}, claimed.allowed_secrets)
    facts = facts_of(opened.manifest)
    if sorted(facts.tool_names) != sorted(tool.name for tool in body.tools):
        raise RefusedError(422, "tools-mismatch", "the tools that are named are not those of the artifact")
    return NewVersion(version, digest, len(content), facts)


def _refuse_secrets(files: Mapping[str, bytes], allowed: list[str]) -> None:
    """Whoever may read the agent would have them: other clients than ours may not look before they send."""
    for name, secrets in find_secrets(files).items():
        for secret in secrets:
            if secret.fingerprint not in allowed:
                raise RefusedError(
                    422,
                    "secret-found",
                    f"{name}:{secret.line} holds what looks like a secret: {secret.kind} "
                    f"(fingerprint {secret.fingerprint})",
                    hint="revoke it; what is none can be pushed with --allow-secret FINGERPRINT",
                )


def _loose_version(tx: Connection, agent: str, skill: str, version: str, body: PutVersion) -> NewVersion:
    """A client that sends one content for each tool: they stay opaque, and the body is what the version is."""
    names = [tool.name for tool in body.tools]
    if len(set(names)) != len(names):
        raise RefusedError(422, "tools-duplicate", "two tools have the same name")
    if isinstance(body.context, dict) and not body.context.keys() <= _CONTEXTS:
        raise RefusedError(422, "context-invalid", "a context has the texts base, voice and text")
    hashes = {tool.code_s3_hash for tool in body.tools} | ({body.condition_s3_hash} - {None})
    there = uploaded(tx, agent, sorted(filter(None, hashes)))
    missing = sorted(filter(None, hashes - there.keys()))
    if missing:
        raise RefusedError(422, "blob-missing", f"the content {missing[0]} was not uploaded")
    fields = {"description", "context", "tools", "condition", "condition_s3_hash"}
    document: dict[str, Any] = {"skill": skill, **body.model_dump(by_alias=True, include=fields), "contents": there}
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    tools = tuple(
        ToolFacts(tool.name, tool.description, tool.input_schema, tool.condition is not None) for tool in body.tools
    )
    gated = body.condition is not None or body.condition_s3_hash is not None
    facts = SkillFacts(body.description, body.context, "", gated, tools)
    digest = f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"
    return NewVersion(version, digest, len(canonical), facts, canonical)


def _signature(text: str, secret: bytes) -> str:
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
