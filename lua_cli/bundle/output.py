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
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lua_cli.bundle.built import Artifact, Build, BuiltArtifact
from lua_cli.bundle.disk import discard, sync_folder
from lua_cli.bundle.exclusive import locked
from lua_cli.bundle.names import MANIFEST_NAME, artifact_file_name
from lua_cli.bundle.shape import ManifestError, check, each, record
from lua_cli.errors import LuaError

_PUBLISHED, _BUILDS, _NEXT = "artifacts", "builds", "next"
_KEPT_SECONDS = 60.0
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ENTRIES = each(record(skill=str, file=str, digest=str, size=int))


def artifact_path(output: Path, skill: str) -> Path:
    """Where the artifact of a skill is, or will be, in the output folder."""
    return output / _PUBLISHED / artifact_file_name(skill)


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
            _replace_current(output, files, alone)
            folder = _current(output)
    except OSError as error:
        raise _cannot_write(output, error) from error
    with contextlib.suppress(OSError, ManifestError):
        if folder is not None:
            return Build(document, {entry["skill"]: _built(output, folder, entry) for entry in entries})
    raise LuaError(f"{output} was changed by another program while it was written", hint="compile again: lua compile")


def read_build(output: Path) -> Build | None:
    """The current build; None when there is none, or none that is whole: compiling makes one.

    The artifacts are looked at (names and sizes), not read: `BuiltArtifact.open` reads and verifies one.
    """
    folder = _current(output)
    if folder is None:
        return None
    try:
        document = json.loads((folder / MANIFEST_NAME).read_bytes())
        entries = document.pop("artifacts")
        check(entries, _ENTRIES, "artifacts")
        built = {entry["skill"]: _built(output, folder, entry) for entry in entries}
    except (OSError, ValueError, AttributeError, KeyError, TypeError, ManifestError):
        return None
    return Build(document, built)


def _built(output: Path, folder: Path, entry: Mapping[str, Any]) -> BuiltArtifact:
    name = artifact_file_name(entry["skill"])
    if entry["file"] != name or (folder / name).stat().st_size != entry["size"]:
        raise ManifestError(f"{name} is not the file that was built")
    return BuiltArtifact(
        skill=entry["skill"],
        path=output / _PUBLISHED / name,
        digest=entry["digest"],
        size=entry["size"],
        stored=folder / name,
    )


_Content = bytes | Path  # of an earlier build: where it lies


def _entries_of(artifacts: Sequence[Artifact | BuiltArtifact]) -> list[dict[str, Any]]:
    """What the document says of the artifacts of its build."""
    return [
        {"skill": one.skill, "file": artifact_file_name(one.skill), "digest": one.digest, "size": _size(one)}
        for one in artifacts
    ]


def _files_of(artifacts: Sequence[Artifact | BuiltArtifact], document: Mapping[str, Any]) -> dict[str, _Content]:
    files: dict[str, _Content] = {
        artifact_file_name(one.skill): one.content if isinstance(one, Artifact) else one.stored for one in artifacts
    }
    if len(files) != len(artifacts):
        names = [artifact.skill for artifact in artifacts]
        twice = next(name for name in names if names.count(name) > 1)
        raise LuaError(f"two skills have the name {twice!r}", hint="give each skill of the project a name of its own")
    return {**files, MANIFEST_NAME: _written_out(document).encode("utf-8", "surrogatepass")}


def _written_out(document: Mapping[str, Any]) -> str:
    """A document as JSON with a line for each of its parts: many times faster than indenting all of it."""
    parts = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in document.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _size(one: Artifact | BuiltArtifact) -> int:
    return len(one.content) if isinstance(one, Artifact) else one.size


def _ignore_in_git(output: Path) -> None:
    path = output / ".gitignore"
    if not path.exists():
        path.write_text("*\n", encoding="utf-8")


def _replace_current(output: Path, files: Mapping[str, _Content], alone: bool) -> None:
    builds = output / _BUILDS
    builds.mkdir(exist_ok=True)
    current = _current(output)
    if current is not None and os.path.lexists(output / _PUBLISHED) and _holds(current, files):
        return
    new = builds / os.urandom(8).hex()
    try:
        _write(new, files)
        _publish(output, new)
    except BaseException:
        if _current(output) != new:
            discard(new)
        raise
    with contextlib.suppress(OSError):  # the new build is current: nothing that fails from here on takes that back
        sync_folder(output)
        if alone:  # without locks, another process may be about to publish what looks like a leftover
            _remove_old(output, just_replaced=current)


def _holds(folder: Path, files: Mapping[str, _Content]) -> bool:
    try:
        if {entry.name for entry in os.scandir(folder)} != files.keys():
            return False
        return all(
            content == folder / name if isinstance(content, Path) else (folder / name).read_bytes() == content
            for name, content in files.items()
        )
    except OSError:
        return False


def _write(folder: Path, files: Mapping[str, _Content]) -> None:
    folder.mkdir()
    for name, content in files.items():
        if isinstance(content, Path):
            if _linked(folder / name, content):
                continue
            content = content.read_bytes()
        with (folder / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    sync_folder(folder)
    sync_folder(folder.parent)


def _linked(path: Path, existing: Path) -> bool:
    """Gives a file that nobody writes to a second name; False where the system has no such thing."""
    try:
        os.link(existing, path)
    except (OSError, NotImplementedError):
        return False
    return True


def _current(output: Path) -> Path | None:
    """The folder of the current build, free of links, so that what is read in it belongs together."""
    published = output / _PUBLISHED
    try:
        target = published.readlink()
    except FileNotFoundError:
        return _announced(output)
    except OSError:  # a plain folder
        return published if published.is_dir() else None
    folder = output / target
    return folder if folder.is_dir() else None


def _announced(output: Path) -> Path | None:
    """The build that was about to become current when its writer died between two renames."""
    try:
        name = (output / _BUILDS / _NEXT).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    folder = output / _BUILDS / name
    return folder if name.isalnum() and folder.is_dir() else None


def _publish(output: Path, new: Path) -> None:
    """Makes `new` current, in one step where the system has symbolic links."""
    published, builds = output / _PUBLISHED, output / _BUILDS
    link = _link_to(new, builds)
    plain_folder = published.is_dir() and not published.is_symlink()
    if link is not None and not plain_folder:
        link.replace(published)
    else:
        _exchange(output, link or new, new.name)


def _link_to(new: Path, builds: Path) -> Path | None:
    """A link to `new`, good at the place of `artifacts`; None where links cannot be made."""
    link = builds / os.urandom(8).hex()
    try:
        link.symlink_to(Path(_BUILDS, new.name), target_is_directory=True)
    except (OSError, NotImplementedError):
        return None
    return link


def _exchange(output: Path, replacement: Path, name: str) -> None:
    """Puts `replacement` in the place of a plain folder. Two renames: what comes is announced before the first."""
    published, builds = output / _PUBLISHED, output / _BUILDS
    draft = builds / os.urandom(8).hex()
    draft.write_text(name, encoding="utf-8")
    draft.replace(builds / _NEXT)
    sync_folder(builds)
    retired = builds / os.urandom(8).hex()
    if os.path.lexists(published):
        published.rename(retired)
    try:
        replacement.rename(published)
    except OSError:
        if os.path.lexists(retired):
            retired.rename(published)
        raise
    with contextlib.suppress(OSError):  # an old announcement is heeded only where nothing is current
        (builds / _NEXT).unlink()


def _remove_old(output: Path, just_replaced: Path | None) -> None:
    """Builds that have not been current for a while, and what writers that were killed left behind."""
    current = _current(output)
    now = time.time()
    if just_replaced is not None and just_replaced.is_dir() and just_replaced != current:
        os.utime(just_replaced)  # its minute begins now
    for entry in os.scandir(output / _BUILDS):
        path = Path(entry.path)
        if path == current or now - entry.stat(follow_symlinks=False).st_mtime < _KEPT_SECONDS:
            continue
        discard(path)


def _cannot_write(output: Path, error: OSError) -> LuaError:
    if error.errno in _NO_SPACE:
        hint = "free some space; what was built before is still there"
    else:
        hint = "make the folder writable, or lint alone, which writes nothing: lua compile --check"
    return LuaError(f"cannot write {output}: {error.strerror or error}", hint=hint)
