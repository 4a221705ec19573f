"""The JSON of the platform's API, both ways: answers → the protocol's values, submissions → bodies. Pure.

What the platform does not say is filled in with nothing: a version without a digest was pushed by another client,
which sends loose tools instead of an artifact. Keys that are not known are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from lua_cli.errors import UsageError
from lua_cli.registry.protocol import Deployment, SkillFacts, SkillRecord, Submission, ToolFacts, VersionRecord
from lua_cli.registry.semver import Version

Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else str(value))]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel, populate_by_name=True)


class ToolWire(_Wire):
    name: str
    description: Text = ""
    input_schema: dict[str, Any] | None = None
    has_condition: bool = False
    voice_flags: list[str] = Field(default_factory=list)

    def value(self) -> ToolFacts:
        return ToolFacts(self.name, self.description, self.input_schema, self.has_condition, tuple(self.voice_flags))


def _named(tool: object) -> object:
    return {"name": tool} if isinstance(tool, str) else tool


class VariablesWire(_Wire):
    data: dict[str, str] = Field(default_factory=dict)


class VersionWire(_Wire):
    version: str
    digest: Text = ""
    size: int = 0
    created_at: Text = ""
    author: Text = ""
    tools: list[Annotated[ToolWire, BeforeValidator(_named)]] = Field(default_factory=list)
    active: bool = False
    yanked: bool = False

    def value(self) -> VersionRecord:
        names = tuple(tool.name for tool in self.tools)
        return VersionRecord(self.version, self.digest, self.size, self.created_at, self.author, names, self.yanked)


class DeploymentWire(_Wire):
    entry: int
    version: str
    previous: str | None = None
    created_at: Text = ""
    author: Text = ""

    def value(self) -> Deployment:
        return Deployment(self.entry, self.version, self.previous, self.created_at, self.author)


class SkillWire(_Wire):
    id: str
    name: str
    versions: list[VersionWire] = Field(default_factory=list)
    live: DeploymentWire | None = None

    def value(self) -> SkillRecord:
        """The record. A server without a history says of one version that it is active; what is no semver is passed
        over.
        """
        versions = sorted(
            (v for v in self.versions if _is_version(v.version)), key=lambda v: Version.parse(v.version).key
        )
        active = next((Deployment(0, v.version, None, "", "") for v in versions if v.active), None)
        return SkillRecord(
            self.id, self.name, tuple(v.value() for v in versions), self.live.value() if self.live else active
        )


class SkillsWire(_Wire):
    skills: list[SkillWire]


class CreatedWire(_Wire):
    id: str


class PutWire(_Wire):
    """The answer to a version that was put; a server that keeps records adds `record`."""

    version: str
    record: VersionWire | None = None


class PublishedWire(_Wire):
    deployment: DeploymentWire | None = None
    published_at: Text = ""


class HistoryWire(_Wire):
    history: list[DeploymentWire]


class MissingWire(_Wire):
    missing: list[str]


class UploadsWire(_Wire):
    urls: dict[str, str]
    headers: dict[str, dict[str, str]] = Field(default_factory=dict)


class FactsWire(_Wire):
    """What a version says of itself."""

    description: Text = ""
    context: str | dict[str, str] = ""
    instructions: Text = ""
    has_condition: bool = False
    tools: list[ToolWire] = Field(default_factory=list)
    env: list[str] = Field(default_factory=list)
    defaults: list[str] = Field(default_factory=list)

    def value(self) -> SkillFacts:
        return SkillFacts(
            self.description,
            self.context,
            self.instructions,
            self.has_condition,
            tuple(tool.value() for tool in self.tools),
            tuple(self.env),
            tuple(self.defaults),
        )


class AgentWire(_Wire):
    id: str
    name: Text = ""


class MeWire(_Wire):
    """Whose key it is: which agents it is for, and what it may do."""

    key: Text = ""
    agents: list[Annotated[AgentWire, BeforeValidator(lambda a: {"id": a} if isinstance(a, str) else a)]] = Field(
        default_factory=list
    )
    scopes: list[str] = Field(default_factory=list)
    every_agent: bool = False


def version_body(submission: Submission, skill_id: str, blob: str) -> Mapping[str, Any]:
    """The body that puts a version: what every client of the API sends, and what lets the server check the artifact."""
    facts = submission.facts
    return {
        "version": submission.version,
        "skillId": skill_id,
        "name": submission.skill,
        "description": facts.description,
        "context": facts.context,
        "tools": [_tool_body(tool, blob) for tool in facts.tools],
        "artifact": {
            "digest": submission.digest,
            "size": len(submission.content),
            **({"allowedSecrets": list(submission.allowed_secrets)} if submission.allowed_secrets else {}),
        },
        "base": submission.base,
        "unchecked": submission.unchecked,
        **({"conditionS3Hash": blob} if facts.has_condition else {}),
    }


def _tool_body(tool: ToolFacts, blob: str) -> dict[str, Any]:
    body: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "codeS3Hash": blob,
    }
    return body | ({"condition": blob} if tool.has_condition else {})


def _is_version(text: str) -> bool:
    try:
        Version.parse(text)
    except UsageError:
        return False
    return True
