"""Drafts: everything of an artifact but its schemas. (built.py has the artifacts that are made of them.)

docs/artifact.md has the format. Methods import what they need of the package when they are called: its modules import
these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lua_cli.bundle.built import Artifact, Build, BuiltArtifact, OpenedArtifact
from lua_cli.records import field, record

if TYPE_CHECKING:
    from lua_cli.analysis.model import Finding
    from lua_cli.diagnostics import Place
    from lua_cli.packed import Packed

__all__ = [
    "FORMAT",
    "AgentEntry",
    "Artifact",
    "Build",
    "BuiltArtifact",
    "BundledFile",
    "Collected",
    "Draft",
    "DraftTool",
    "EnvUse",
    "Lock",
    "OpenedArtifact",
    "Requirement",
]
FORMAT = 1


@record(frozen=True)
class BundledFile:
    """One member: `name` inside the archive (forward slashes), its bytes, and why it is in (for `--explain-bundle`)."""

    name: str
    packed: Packed
    kind: Literal["module", "data", "document", "flow"]
    reason: str
    source: str  # path in the project, forward slashes

    @property
    def content(self) -> bytes:
        return self.packed.whole()


@record(frozen=True)
class DraftTool:
    """A tool of a draft: where it is and what was read of it; `place` is the class's.

    flow    for a tool that is no class and has no module: the address of its chain in an agent of flows, or the name
            of the flow that a `FlowTool` calls
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


@record(frozen=True)
class AgentEntry:
    """An agent of flows: its flow, its block's address."""

    flow: str
    block: str


@record(frozen=True)
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


@record(frozen=True)
class Lock:
    """The lock file that pins came from: its name, and the SHA-256 (hex) of its text with LF newlines."""

    file: str
    sha256: str


@record(frozen=True)
class EnvUse:
    """An environment variable that bundled modules read by a literal name, or that [tool.lua] names. `optional`: every
    read has a default; `read`: there is one."""

    name: str
    places: tuple[str, ...]  # "path:line", sorted
    optional: bool
    place: Place | None = None  # of the first read that raises without it
    read: bool = True


@record(frozen=True)
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
    called: tuple[tuple[str, str, str], ...] = ()  # Python tools that its flows call: name, module, qualname
    folder: str | None = None  # where its SKILL.md and what belongs to it are, for a skill that is such a folder

    def digest(self) -> str:
        """SHA-256 over everything of the draft that decides what a probe would see: together with the interpreter, the
        cache key of its schemas."""
        from lua_cli.bundle.canonical import digest_of, manifest_bytes
        from lua_cli.bundle.manifest import build_manifest

        return digest_of(manifest_bytes(build_manifest(self, {})))


@record(frozen=True)
class Collected:
    """The drafts of a project's registered skills, and what there is to say about them.

    read     the files that were read for it: path → SHA-256 (hex) of the bytes on disk
    asked    other files whose presence or absence decided it: lock files, data files that are missing
    looked_up  environment variables whose presence decided it
    folders  those whose every file is bundled
    """

    drafts: tuple[Draft, ...]
    findings: tuple[Finding, ...]
    read: Mapping[Path, str] = field(default_factory=dict)
    asked: tuple[Path, ...] = ()
    looked_up: frozenset[str] = frozenset()
    folders: tuple[Path, ...] = ()
