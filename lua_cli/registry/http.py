"""A registry over HTTP: the platform's API, or a team's server, behind the same protocol as the embedded one.

In: an address and a key. Out: the `Registry` protocol. What the server refuses is said in the words of the embedded
registry: after a refusal the record is read again, and tells what was there first.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from lua_cli.bundle.archive import MAX_ARCHIVE
from lua_cli.bundle.canonical import digest_of
from lua_cli.errors import LuaError, NotFoundError, UnavailableError
from lua_cli.project.credentials import Key
from lua_cli.registry.api import Api
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
from lua_cli.registry.refusals import (
    DeployedMeanwhileError,
    PushedMeanwhileError,
    VersionTakenError,
    YankedError,
    no_such_version,
)
from lua_cli.registry.semver import Version
from lua_cli.registry.sending import Policy
from lua_cli.registry.variables import AgentVariables
from lua_cli.registry.wire import (
    CreatedWire,
    DeploymentWire,
    FactsWire,
    HistoryWire,
    MeWire,
    MissingWire,
    PublishedWire,
    PutWire,
    SkillsWire,
    UploadsWire,
    VersionWire,
    version_body,
)

Wire = TypeVar("Wire", bound=BaseModel)
Progress = Callable[[str, int, int], None]


def _silent(_what: str, _moved: int, _size: int) -> None:
    pass


class HttpRegistry:
    """The registry at `address`. `progress` hears of what is being sent or fetched, and how many bytes of how many
    have moved.
    """

    def __init__(
        self, address: str, key: Key | None, *, policy: Policy | None = None, progress: Progress = _silent
    ) -> None:
        self._api = Api(address, key, policy)
        self._progress = progress
        self._me: MeWire | None = None
        self._seen: dict[tuple[str, str], SkillRecord] = {}

    @property
    def place(self) -> RegistryPlace:
        return RegistryPlace("http", self._api.address, self._api.address)

    def me(self) -> MeWire:
        """Whose key this is; asked once."""
        if self._me is None:
            data = self._api.call("GET", "/developer/me").data
            if not isinstance(data, Mapping):
                raise self._not_understood("whose key it is")
            self._me = self._read(MeWire, data)
        return self._me

    def agents(self) -> tuple[str, ...]:
        return tuple(agent.id for agent in self.me().agents)

    def skills(self, agent: str) -> tuple[SkillRecord, ...]:
        data = self._api.call("GET", f"/developer/skills/{_segment(agent)}").data
        found = tuple(sorted((skill.value() for skill in self._read(SkillsWire, data).skills), key=lambda s: s.name))
        self._seen.update({(agent, skill.name): skill for skill in found})
        return found

    def skill(self, agent: str, name: str) -> SkillRecord | None:
        return next((skill for skill in self.skills(agent) if skill.name == name), None)

    def facts(self, agent: str, name: str, version: str) -> SkillFacts:
        skill, record = self._immutable(agent, name, version)
        reply = self._api.call("GET", _path(agent, skill, "version", record.version), allow=(404,))
        return SkillFacts() if reply.status == 404 else self._read(FactsWire, reply.data).value()

    def artifact(self, agent: str, name: str, version: str) -> bytes:
        skill, record = self._immutable(agent, name, version)
        if not record.digest:
            raise NotFoundError(f"{name} {record.version} was pushed by another client and has no artifact")
        path = _path(agent, skill, "version", record.version, "artifact")
        content = self._api.download(path, MAX_ARCHIVE, self._moving(f"{name} {record.version}", record.size))
        if digest_of(content) != record.digest:
            raise LuaError(
                f"the content of {name} {record.version} is not what was pushed: {self._api.address} is damaged",
                hint="tell who runs it",
            )
        return content

    def put(self, agent: str, submission: Submission) -> Stored:
        name = checked_name("a skill", submission.skill)
        checked_name("an agent", agent)
        Version.parse(submission.version)
        if digest_of(submission.content) != submission.digest:
            raise LuaError(f"the artifact of {name} does not match its digest", hint="compile again: `lua compile`")
        skill = self.skill(agent, name)
        taken = skill.find(submission.version) if skill else None
        if skill and taken:
            return self._taken(skill, taken, submission)
        skill_id = skill.id if skill else self._create_skill(agent, submission)
        blob = submission.digest.removeprefix("sha256:")
        self._upload(agent, blob, submission)
        path = f"/developer/skills/{_segment(agent)}/{_segment(skill_id)}/version"
        body = version_body(submission, skill_id, blob)
        reply = self._api.call("POST", path, body, idempotency=str(uuid.uuid4()), allow=(409,))
        if reply.status == 409:
            return self._overtaken(agent, submission, reply.message)
        answer = self._read(PutWire, reply.data)
        record = answer.record or VersionWire(
            version=answer.version,
            digest=submission.digest,
            size=len(submission.content),
            tools=list(submission.facts.tool_names),  # type: ignore[arg-type]  # names are accepted, too
        )
        return Stored(skill_id, record.value(), created=reply.status == 201)

    def history(self, agent: str, name: str) -> tuple[Deployment, ...]:
        skill = self.skill(agent, name)
        if skill is None:
            return ()
        reply = self._api.call("GET", _path(agent, skill, "history"), allow=(404,))
        entries = [] if reply.status == 404 else self._read(HistoryWire, reply.data).history
        return tuple(sorted((entry.value() for entry in entries), key=lambda entry: entry.number))

    def deploy(self, agent: str, name: str, version: str, *, seen: int, key: str) -> Deployment:
        skill, record = self._version(agent, name, version)
        path, condition = _path(agent, skill, record.version, "publish"), {"If-Match": f'"{seen}"'}
        reply = self._api.call("PUT", path, idempotency=key, headers=condition, allow=(409, 412))
        if reply.status == 412:
            now = self.skill(agent, name)
            raise DeployedMeanwhileError(name, seen, now.live if now else None)
        if reply.status == 409:
            raise YankedError(f"{name} {record.version} was withdrawn (yanked)", hint="deploy another version")
        answer = self._read(PublishedWire, reply.data)
        entry = answer.deployment or DeploymentWire(
            entry=seen,
            version=record.version,
            previous=skill.live.version if skill.live else None,
            created_at=answer.published_at,
        )
        return entry.value()

    def yank(self, agent: str, name: str, version: str, *, yanked: bool = True) -> VersionRecord:
        skill, record = self._version(agent, name, version)
        path = _path(agent, skill, "version", record.version, "yank")
        reply = self._api.call("PUT", path, {"yanked": yanked}, idempotency=str(uuid.uuid4()), allow=(409,))
        if reply.status == 409:
            raise YankedError(f"{name} {record.version} is live", hint="deploy another version first")
        return self._read(VersionWire, reply.data).value()

    def variables(self, agent: str) -> frozenset[str] | None:
        values = self.agent_variables(agent).names()
        return values or None

    def agent_variables(self, agent: str) -> AgentVariables:
        """The environment variables of an agent there, to read and change."""
        return AgentVariables(self._api, agent)

    def close(self) -> None:
        self._api.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _version(self, agent: str, name: str, version: str) -> tuple[SkillRecord, VersionRecord]:
        skill = self.skill(agent, name)
        record = skill.find(version) if skill else None
        if skill is None or record is None:
            raise no_such_version(skill, name, version)
        return skill, record

    def _immutable(self, agent: str, name: str, version: str) -> tuple[SkillRecord, VersionRecord]:
        """As `_version`, but as it was seen last: what a version is never changes, so that reading many of them does
        not list all of them each time.
        """
        skill = self._seen.get((agent, name))
        record = skill.find(version) if skill else None
        return (skill, record) if skill and record else self._version(agent, name, version)

    def _create_skill(self, agent: str, submission: Submission) -> str:
        facts = submission.facts
        body = {"name": submission.skill, "description": facts.description, "context": facts.context}
        path = f"/developer/skills/{_segment(agent)}"
        reply = self._api.call("POST", path, body, idempotency=str(uuid.uuid4()), allow=(409,))
        if reply.status != 409:
            return self._read(CreatedWire, reply.data).id
        there = self.skill(agent, submission.skill)  # another push made it in between
        if there is None:
            raise UnavailableError(f"{self._api.address} refused the skill {submission.skill}: {reply.message}")
        return there.id

    def _upload(self, agent: str, blob: str, submission: Submission) -> None:
        """The content, unless the server has it. It checks the digest itself before it calls the content present."""
        backup = f"/developer/agents/{_segment(agent)}/backup"
        missing = self._api.call("POST", f"{backup}/check-blobs", {"hashes": [blob]}, idempotency=str(uuid.uuid4()))
        if blob not in self._read(MissingWire, missing.data).missing:
            return
        checksum = base64.b64encode(bytes.fromhex(blob)).decode()
        body = {"hashes": [blob], "checksums": {blob: checksum}}
        reply = self._api.call("POST", f"{backup}/blob-upload-urls", body, idempotency=str(uuid.uuid4()))
        uploads = self._read(UploadsWire, reply.data)
        if blob not in uploads.urls:
            raise self._not_understood("no place to upload to")
        moving = self._moving(f"{submission.skill} {submission.version}", len(submission.content))
        self._api.upload(uploads.urls[blob], submission.content, uploads.headers.get(blob, {}), moving)

    def _taken(self, skill: SkillRecord, taken: VersionRecord, submission: Submission) -> Stored:
        """The version is there: with this content that is the answer, with other content a refusal."""
        if taken.digest == submission.digest:
            return Stored(skill.id, taken, created=False)
        raise VersionTakenError(skill.name, submission.version, taken, skill.highest or taken)

    def _overtaken(self, agent: str, submission: Submission, message: str) -> Stored:
        """A conflict: what came in between is read, and decides."""
        skill = self.skill(agent, submission.skill)
        taken = skill.find(submission.version) if skill else None
        if skill and taken:
            return self._taken(skill, taken, submission)
        if skill and skill.highest:
            raise PushedMeanwhileError(submission.skill, submission.base, skill.highest)
        raise UnavailableError(f"{self._api.address} refused {submission.skill} {submission.version}: {message}")

    def _moving(self, what: str, size: int) -> Callable[[int], None]:
        return lambda moved: self._progress(what, moved, size)

    def _read(self, shape: type[Wire], data: Any) -> Wire:
        try:
            return shape.model_validate(data if isinstance(data, Mapping) else {})
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            raise self._not_understood(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    def _not_understood(self, why: str) -> UnavailableError:
        return UnavailableError(
            f"{self._api.address} answers what this lua-cli does not understand ({why})", hint="upgrade lua-cli"
        )


def _segment(text: str) -> str:
    return quote(text, safe="")


def _path(agent: str, skill: SkillRecord, *rest: str) -> str:
    return "/".join(("/developer/skills", _segment(agent), _segment(skill.id), *map(_segment, rest)))
