"""Drafts (everything of an artifact but its schemas) and artifacts. DESIGN: docs/artifact.md has the format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

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
    """A tool of a draft: where it is and what was read of it; `place` is the class's."""

    name: str
    description: str
    module: str
    qualname: str
    has_condition: bool
    voice_flags: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Requirement:
    """A third-party package that the bundled modules import. `pins` are sorted `dist==version` strings."""

    imports: str
    place: str  # "path:line" of the first import
    pins: tuple[str, ...]
    pinned_from: str  # "pylock.toml", "uv.lock", "installed", "" when it is not known


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

    def digest(self) -> str:
        """SHA-256 over everything that decides what a probe would see: the cache key of its schemas."""
        raise NotImplementedError  # replaced by bundle/


@dataclass(frozen=True, slots=True)
class Artifact:
    """A sealed artifact. `digest` is "sha256:" + hex over `content`; `manifest` is the parsed manifest.json."""

    skill: str
    content: bytes
    digest: str
    manifest: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BuiltArtifact:
    """An artifact in the project's output folder, already verified against its manifest and digest."""

    skill: str
    path: Path
    digest: str
    manifest: Mapping[str, Any]
