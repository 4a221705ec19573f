"""The project's output folder: `.lua/artifacts/`, complete or as it was.

In: sealed artifacts and the compile document. Out: the files, or a LuaError with the old ones in place. A build is
written into a folder of its own and becomes current by one rename:

    .lua/.gitignore             `*`
    .lua/artifacts              → builds/3f9c…   the current build: a relative symbolic link
    .lua/builds/3f9c…/          manifest.json, orders.luapkg, refunds.luapkg
    .lua/builds/next            only while a plain folder is exchanged (no symbolic links here): what becomes current
    .lua/lock                   held while writing

A reader looks up the current build once and stays in it. A build that was current is kept for a minute longer.
"""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.bundle.built import Artifact, Build, BuiltArtifact
from lua_cli.bundle.canonical import MANIFEST_NAME
from lua_cli.bundle.document import written
from lua_cli.bundle.exclusive import locked
from lua_cli.bundle.names import artifact_file_name
from lua_cli.bundle.publishing import PUBLISHED, current, publish
from lua_cli.bundle.shape import ManifestError, check, each, record
from lua_cli.errors import LuaError

if TYPE_CHECKING:
    from lua_cli.bundle.publishing import Content

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ENTRIES = each(record(skill=str, file=str, digest=str, size=int))


def artifact_path(output: Path, skill: str) -> Path:
    """Where the artifact of a skill is, or will be, in the output folder."""
    return output / PUBLISHED / artifact_file_name(skill)


def write_build(output: Path, artifacts: Sequence[Artifact | BuiltArtifact], document: Mapping[str, Any]) -> Build:
    """Makes these artifacts and the document the current build. Content that is current already is left alone; an
    artifact of an earlier build is taken over as it lies there.

    Raises LuaError when the folder cannot be written; the current build is then what it was.
    """
    entries = _entries_of(artifacts)
    files = _files_of(artifacts, {**document, "artifacts": entries})
    try:
        output.mkdir(parents=True, exist_ok=True)
        _ignore_in_git(output)
        with locked(output / "lock") as alone:
            folder = publish(str(output), files, alone=alone)
    except OSError as error:
        raise _cannot_write(output, error) from error
    with contextlib.suppress(OSError, ManifestError):
        if folder is not None:
            return build_of(output, Path(folder), document, entries)
    raise LuaError(f"{output} was changed by another program while it was written", hint="compile again: lua compile")


def read_build(output: Path) -> Build | None:
    """The current build; None when there is none, or none that is whole: compiling makes one.

    The artifacts are looked at (names and sizes), not read: `BuiltArtifact.open` reads and verifies one.
    """
    found = current(str(output))
    if found is None:
        return None
    folder = Path(found)
    try:
        document = json.loads((folder / MANIFEST_NAME).read_bytes())
        entries = document.pop("artifacts")
        check(entries, _ENTRIES, "artifacts")
        return build_of(output, folder, document, entries)
    except (OSError, ValueError, AttributeError, KeyError, TypeError, ManifestError):
        return None


def build_of(output: Path, folder: Path, document: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> Build:
    """The build in a folder, of which the document says `entries`. Raises OSError, ManifestError where that does not
    agree.
    """
    return Build(document, {entry["skill"]: _built(output, folder, entry) for entry in entries})


def _built(output: Path, folder: Path, entry: Mapping[str, Any]) -> BuiltArtifact:
    name = artifact_file_name(entry["skill"])
    if entry["file"] != name or (folder / name).stat().st_size != entry["size"]:
        raise ManifestError(f"{name} is not the file that was built")
    return BuiltArtifact(
        skill=entry["skill"],
        path=output / PUBLISHED / name,
        digest=entry["digest"],
        size=entry["size"],
        stored=folder / name,
    )


def _entries_of(artifacts: Sequence[Artifact | BuiltArtifact]) -> list[dict[str, Any]]:
    """What the document says of the artifacts of its build."""
    return [
        {"skill": one.skill, "file": artifact_file_name(one.skill), "digest": one.digest, "size": _size(one)}
        for one in artifacts
    ]


def _files_of(artifacts: Sequence[Artifact | BuiltArtifact], document: Mapping[str, Any]) -> dict[str, Content]:
    files: dict[str, Content] = {
        artifact_file_name(one.skill): one.packed.parts if isinstance(one, Artifact) else str(one.stored)
        for one in artifacts
    }
    if len(files) != len(artifacts):
        names = [artifact.skill for artifact in artifacts]
        twice = next(name for name in names if names.count(name) > 1)
        raise LuaError(f"two skills have the name {twice!r}", hint="give each skill of the project a name of its own")
    return {**files, MANIFEST_NAME: partial(written, document)}


def _size(one: Artifact | BuiltArtifact) -> int:
    return one.packed.size if isinstance(one, Artifact) else one.size


def _ignore_in_git(output: Path) -> None:
    path = output / ".gitignore"
    if not path.exists():
        path.write_text("*\n", encoding="utf-8")


def _cannot_write(output: Path, error: OSError) -> LuaError:
    if error.errno in _NO_SPACE:
        hint = "free some space; what was built before is still there"
    else:
        hint = "make the folder writable, or lint alone, which writes nothing: lua compile --check"
    return LuaError(f"cannot write {output}: {error.strerror or error}", hint=hint)
