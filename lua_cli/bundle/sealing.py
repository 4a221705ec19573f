"""A draft and its schemas → the artifact. Pure: the same draft and schemas give the same bytes anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.bundle.archive import MAX_ARCHIVE, MAX_FILE, MAX_FILES, write_archive
from lua_cli.bundle.built import Artifact
from lua_cli.bundle.canonical import digest_of, manifest_bytes
from lua_cli.bundle.manifest import build_manifest
from lua_cli.bundle.names import MANIFEST_NAME
from lua_cli.errors import LuaError
from lua_cli.packed import Packed

if TYPE_CHECKING:
    from lua_cli.bundle.model import Draft


def seal(draft: Draft, schemas: Mapping[str, Mapping[str, Any]]) -> Artifact:
    """The artifact of a draft. `schemas` goes by "module:qualname": {"inputSchema": …, "outputSchema": …}; without an
    entry a tool's schemas stay null. Raises LuaError when it would be larger than an artifact may be."""
    return sealed(draft.skill, build_manifest(draft, schemas), {file.name: file.content for file in draft.files})


def sealed(skill: str, manifest: Mapping[str, Any], members: Mapping[str, bytes]) -> Artifact:
    """The artifact of a manifest and the files that it names. Raises LuaError as `seal` does."""
    content = write_archive([(MANIFEST_NAME, manifest_bytes(manifest)), *sorted(members.items())])
    sizes = {name: len(data) for name, data in members.items()}
    too_large = len(content) > MAX_ARCHIVE or len(sizes) > MAX_FILES or max(sizes.values(), default=0) > MAX_FILE
    if too_large:
        raise LuaError(
            f"the artifact of skill {skill!r} is too large: {shown_size(len(content))} in "
            f"{len(sizes)} files, of which {largest(sizes)}",
            hint=f"the limits are {MAX_ARCHIVE // 2**20} MiB, {MAX_FILE // 2**20} MiB a file and {MAX_FILES} files: "
            "let the tool fetch large data instead of bundling it",
        )
    return Artifact(skill, Packed(content), digest_of(content))


def largest(sizes: Mapping[str, int], count: int = 3) -> str:
    """The largest files, in words."""
    top = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:count]
    return ", ".join(f"{name} ({shown_size(size)})" for name, size in top)


def shown_size(size: int) -> str:
    """A number of bytes for a reader."""
    for unit, factor in (("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
