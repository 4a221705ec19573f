"""Artifacts, and what is read back of them. Apart from the drafts, because a run of a tool needs these alone.

Methods import what they need of the package when they are called: its modules import these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.packed import Packed


@record(frozen=True)
class Artifact:
    """A sealed artifact. `digest` is "sha256:" + hex over `content`."""

    skill: str
    packed: Packed
    digest: str

    @property
    def content(self) -> bytes:
        return self.packed.whole()

    @property
    def file_name(self) -> str:
        """Its name in the output folder: "orders.luapkg"."""
        from lua_cli.bundle.names import artifact_file_name

        return artifact_file_name(self.skill)


@record(frozen=True)
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

    @property
    def beside(self) -> dict[str, bytes]:
        """Of a skill that is a folder, the files beside SKILL.md by their names in it; empty for others."""
        about = self.manifest["skill"]
        start = f"{about['folder']}/" if "folder" in about else None
        names = [name for name in self.files if start and name.startswith(start) and name != about["instructions"]]
        return {name.removeprefix(start or ""): self.files[name] for name in names}


@record(frozen=True)
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


@record(frozen=True)
class Build:
    """What the last complete build left: the compile document, and the artifacts by skill name."""

    document: Mapping[str, Any]
    artifacts: Mapping[str, BuiltArtifact]

    def places(self) -> dict[str, Path]:
        """Where each artifact lies, by skill: free of links, as records of files have it. They share few folders."""
        folders = {folder: folder.resolve() for folder in {one.stored.parent for one in self.artifacts.values()}}
        return {skill: folders[one.stored.parent] / one.stored.name for skill, one in self.artifacts.items()}
