"""Drafts (everything of an artifact but its schemas), artifacts, and what is read back of them.

docs/artifact.md has the format. Methods import what they need of the package when they are called: its modules import
these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lua_cli.errors import LuaError

if TYPE_CHECKING:
    from lua_cli.analysis.model import Finding
    from lua_cli.diagnostics import Place

FORMAT = 1


@dataclass(frozen=True, slots=True)
class BundledFile:
    """One member: `name` inside the archive (forward slashes), its bytes, and why it is in (for `--explain-bundle`)."""

    name: str
    content: bytes
    kind: Literal["module", "data", "document"]
    reason: str
    source: str  # path in the project, forward slashes


@dataclass(frozen=True, slots=True)
class DraftTool:
    """A tool of a draft: where it is and what was read of it; `place` is the class's.

    flow    the address of the chain that it is, for a tool of a flow's agent: it has no module and no class
    schema  its input schema, where no import tells it
    """

    name: str
    description: str
    module: str
    qualname: str
    has_condition: bool
    voice_flags: tuple[str, ...]
    place: Place
    flow: str = ""
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """An agent of flows: its flow, its block's address, the Python tools that its flows call (name, module,
    qualname).
    """

    flow: str
    block: str
    python: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Requirement:
    """A third-party package that the bundled modules import.

    imports       what is imported, as far as it names the package: "yaml", "google.cloud.storage"
    place         "path:line" of the first import
    pins          sorted `dist==version` strings: the package and what it requires in turn
    pinned_from   "pylock.toml", "uv.lock", "installed", "" when it is not known
    distribution  the name to install it by, "" when it is not known
    """

    imports: str
    place: str
    pins: tuple[str, ...]
    pinned_from: str
    distribution: str = ""


@dataclass(frozen=True, slots=True)
class Lock:
    """The lock file that pins came from: its name, and the SHA-256 (hex) of its text with LF newlines."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class EnvUse:
    """An environment variable that bundled modules read by a literal name. `optional`: every read has a default."""

    name: str
    places: tuple[str, ...]  # "path:line", sorted
    optional: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """A skill ready to be probed and sealed."""

    skill: str
    description: str
    context: str | Mapping[str, str]
    instructions: str | None  # member name of the document
    condition: tuple[str, str] | None  # module, attribute
    tools: tuple[DraftTool, ...]
    files: tuple[BundledFile, ...]
    requires: tuple[Requirement, ...]
    env: tuple[str, ...]
    python: str  # the text of requires-python, "" without one
    place: Place
    env_uses: tuple[EnvUse, ...] = ()  # who reads the names of `env`
    lock: Lock | None = None
    flow: AgentEntry | None = None  # the skill is an agent of flows

    def digest(self) -> str:
        """SHA-256 over everything of the draft that decides what a probe would see: together with the interpreter, the
        cache key of its schemas."""
        from lua_cli.bundle.manifest import build_manifest, digest_of, manifest_bytes

        return digest_of(manifest_bytes(build_manifest(self, {})))


@dataclass(frozen=True, slots=True)
class Collected:
    """The drafts of a project's registered skills, and what there is to say about them.

    read     the files that were read for it: path → SHA-256 (hex) of the bytes on disk
    asked    other files whose presence or absence decided it: lock files, data files that are missing
    """

    drafts: tuple[Draft, ...]
    findings: tuple[Finding, ...]
    read: Mapping[Path, str] = field(default_factory=dict)
    asked: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Artifact:
    """A sealed artifact. `digest` is "sha256:" + hex over `content`; `manifest` is the parsed manifest.json."""

    skill: str
    content: bytes
    digest: str
    manifest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """Its name in the output folder: "orders.luapkg"."""
        from lua_cli.bundle.names import artifact_file_name

        return artifact_file_name(self.skill)


@dataclass(frozen=True, slots=True)
class OpenedArtifact:
    """An artifact that was read and checked whole: every name, size and digest agrees with its manifest.

    `files` are the members without manifest.json; `content` is the archive, `digest` its "sha256:" + hex.
    """

    digest: str
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]
    content: bytes

    @property
    def skill(self) -> str:
        return str(self.manifest["skill"]["name"])


@dataclass(frozen=True, slots=True)
class BuiltArtifact:
    """An artifact in the project's output folder. Nothing is read before `open`.

    path    where it is shown to be: `.lua/artifacts/orders.luapkg`
    stored  where it lies in the build that it belongs to, which a later build does not change
    """

    skill: str
    path: Path
    digest: str
    size: int
    stored: Path

    def open(self) -> OpenedArtifact:
        """The artifact, checked against its manifest and this digest. Raises LuaError when it is not whole."""
        from lua_cli.bundle.opening import open_artifact

        opened = open_artifact(self.stored)
        if opened.digest != self.digest or opened.skill != self.skill:
            raise LuaError(f"{self.path} is not what was built", hint="compile again: lua compile")
        return opened

    @property
    def manifest(self) -> Mapping[str, Any]:
        return self.open().manifest


@dataclass(frozen=True, slots=True)
class Build:
    """What the last complete build left: the compile document, and the artifacts by skill name."""

    document: Mapping[str, Any]
    artifacts: Mapping[str, BuiltArtifact]
