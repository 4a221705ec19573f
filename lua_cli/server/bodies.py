"""The JSON that goes in and out of the API, as models: they check requests, shape answers and are the OpenAPI document.

Requests pass over keys that are not known, as clients of other releases send more. Answers are written out whole.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic.alias_generators import to_camel

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{16}([0-9a-f]{48})?$")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Context = str | dict[str, str]
MOST_HASHES = 5000


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel, populate_by_name=True)


class Empty(_Body):
    """Nothing has to be said."""


class CreateSkill(_Body):
    name: Name
    description: str = ""
    context: Context = ""


class Artifact(_Body):
    digest: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    size: Annotated[int, Field(ge=0)]
    allowed_secrets: Annotated[list[str], Field(max_length=1000)] = Field(default_factory=list)


class PutTool(_Body):
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    description: str = ""
    input_schema: dict[str, Any] | None = None
    code_s3_hash: Annotated[Hash, Field(alias="codeS3Hash")]
    condition: str | None = None
    entry_file: str | None = None


class PutVersion(_Body):
    """A version. With `artifact` its content is one archive, checked whole; without, the tools' contents are opaque."""

    version: Annotated[str, Field(max_length=128)]
    description: str = ""
    context: Context = ""
    tools: Annotated[list[PutTool], Field(max_length=1000)] = Field(default_factory=list)
    condition: str | None = None
    condition_s3_hash: Annotated[Hash | None, Field(alias="conditionS3Hash")] = None
    artifact: Artifact | None = None
    base: str | None = None
    unchecked: bool = True
    source_archive: Any = None
    archive_schema_version: Any = None


class PutSource(_Body):
    source_archive: Any = None
    archive_schema_version: Any = None
    tools: Any = None


class PutYank(_Body):
    yanked: bool = True


class Hashes(_Body):
    hashes: Annotated[list[Hash], Field(max_length=MOST_HASHES)]


class UploadUrls(_Body):
    """`checksums`: by name the SHA-256 (base64) of the bytes that will be sent."""

    hashes: Annotated[list[Hash], Field(max_length=MOST_HASHES)]
    checksums: dict[str, str] = Field(default_factory=dict)


class BackupFile(_Body):
    relative_path: str
    hash: Hash
    size: Annotated[int, Field(ge=0)] = 0
    type: str = ""


class Manifest(_Body):
    project_hash: Name
    files: Annotated[list[BackupFile], Field(max_length=50_000)]
    version: Any = None
    org_id: Any = None
    created_by: Any = None
    triggered_by: Any = None


class ToolName(_Body):
    name: str
    description: str | None = None


class VersionAnswer(_Body):
    id: str
    version_id: str
    version: str
    digest: str
    size: int
    created_at: str
    author: str
    tools: list[ToolName]
    active: bool
    yanked: bool


class DeploymentAnswer(_Body):
    entry: int
    version: str
    previous: str | None
    created_at: str
    author: str


class SkillAnswer(_Body):
    id: str
    name: str
    description: str
    context: Context
    agent_id: str
    active: bool
    versions: list[VersionAnswer]
    tools: list[ToolName]
    live: DeploymentAnswer | None


class SkillsAnswer(_Body):
    skills: list[SkillAnswer]


class CreatedAnswer(_Body):
    id: str
    name: str
    description: str
    context: Context
    agent_id: str


class PutAnswer(_Body):
    version_id: str
    skill_id: str
    version: str
    record: VersionAnswer


class VersionsAnswer(_Body):
    versions: list[VersionAnswer]
    active_version_id: str | None


class HistoryAnswer(_Body):
    history: list[DeploymentAnswer]


class PublishedAnswer(_Body):
    message: str
    skill_id: str
    active_version_id: str
    published_at: str
    deployment: DeploymentAnswer


class FactsTool(_Body):
    name: str
    description: str
    input_schema: dict[str, Any] | None
    has_condition: bool
    voice_flags: list[str]


class FactsAnswer(_Body):
    """What a version says of itself."""

    description: str
    context: Context
    instructions: str
    has_condition: bool
    tools: list[FactsTool]
    env: list[str]
    defaults: list[str]


class DeletedAnswer(_Body):
    deleted: bool
    deactivated: bool


class CheckedAnswer(_Body):
    missing: list[str]
    existing: list[str]
    results: dict[str, bool]


class UrlsAnswer(_Body):
    urls: dict[str, str]
    headers: dict[str, dict[str, str]]


class BlobAnswer(_Body):
    digest: str
    size: int


class BackupAnswer(_Body):
    id: str
    project_hash: str
    files: list[BackupFile]
    created_at: str


class AgentAnswer(_Body):
    id: str
    name: str


class MeAnswer(_Body):
    key: str
    agents: list[AgentAnswer]
    every_agent: bool
    scopes: list[str]


class VariablesAnswer(_Body):
    agent_id: str
    data: dict[str, str]


class UserAnswer(_Body):
    id: str
    data: dict[str, Any]


class UpdateUser(_Body):
    changes: dict[str, Any]


class PutRecord(_Body):
    """Data of a record: the whole of a new one, the keys to set of one that is there. Searches look into `text`, else
    into every text in the data."""

    data: dict[str, Any]
    text: str | None = None


class Search(_Body):
    text: str = ""
    limit: Annotated[int, Field(strict=True)] = 10


class RecordAnswer(_Body):
    """A record; with a score (the larger, the better) where words were looked for."""

    id: str
    data: dict[str, Any]
    score: float | None = None


class RecordsAnswer(_Body):
    records: list[RecordAnswer]


class RemovedAnswer(_Body):
    deleted: bool


class SandboxAnswer(_Body):
    version_id: str
    skill_id: str
    version: str


class SourceAnswer(_Body):
    version: str
    attached: bool


class ErrorAnswer(_Body):
    message: str
    status_code: int
    code: str
    hint: str | None = None
    details: Any = None
    retry_after_seconds: int | None = None


class Variables(RootModel[dict[str, str]]):
    """Name → value."""
