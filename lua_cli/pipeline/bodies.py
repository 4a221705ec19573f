"""A build of a project of which only bodies of functions were edited since, and none that decided anything. In: the
project, the build, its record. Out: the `Compiled` that the long way would give, or None: then only that can tell.

What decided the last build is known by its record (unchanged.py) and the outlines of its sources (outlines.py). When
all that differs is the content of sources whose outlines are the same, the analysis, the rules and the schemas would
say the same again; places move with the lines, and the artifacts that hold the sources get their new bytes. Whatever
is odd means None. Writes the build, the record and the outlines; runs nothing of the user's.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lua_cli.errors import LuaError
from lua_cli.pipeline.known import Compiled
from lua_cli.pipeline.moving import Moved, MovedError, moved_document, moved_manifest
from lua_cli.pipeline.outlines import Outlines
from lua_cli.pipeline.unchanged import Known, Record, facts_of_built

if TYPE_CHECKING:
    from lua_cli.bundle.model import Artifact, Build, BuiltArtifact
    from lua_cli.project import Project

_MOST = 30  # more edited files than this are judged as fast by the long way


class _Edited(NamedTuple):
    """A source with another content and the same outline. `row` is its new one."""

    shown: str
    content: bytes
    facts: Sequence[Any]
    row: Mapping[str, Any]
    moved: Moved


def after_bodies(project: Project, build: Build, known: Known) -> Compiled | None:
    """The build brought up to date, when that is all that has to be done."""
    try:
        return _compiled(project, build, known)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, MovedError, LuaError):
        return None  # a source that is none, a cache that is damaged: the long way finds words for it


def _compiled(project: Project, build: Build, known: Known) -> Compiled | None:
    from lua_cli.bundle import write_build

    if len(known.changed) > _MOST or project.interpreter.version != sys.version_info[:2]:
        return None
    kept = Outlines(project).load(known.content)
    if kept is None:
        return None
    edited = [_edited(project, Path(path), kept) for path in known.changed]
    if None in edited:
        return None
    sources = [one for one in edited if one is not None]
    moves = {one.shown: one.moved for one in sources}
    artifacts = _artifacts(project, build, sources, moves)
    document = moved_document(build.document, moves)
    digests = {one.skill: one.digest for one in artifacts}
    document["skills"] = [
        {**skill, "digest": digests[skill["name"]]} if skill["digest"] else skill for skill in document["skills"]
    ]
    gone = build.places().values()
    written = write_build(project.output, artifacts, document)
    files: dict[Path, Sequence[Any] | None] = {project.root / one.shown: one.facts for one in sources}
    files |= {place: facts_of_built(written.artifacts[skill]) for skill, place in written.places().items()}
    content = Record(project).amend(known.record, files, gone)
    rows = {**kept["rows"], **{one.shown: one.row for one in sources}}
    Outlines(project).keep({**kept, "rows": rows}, content)
    return Compiled(document, written.artifacts)


def _edited(project: Project, path: Path, kept: Mapping[str, Any]) -> _Edited | None:
    """A source whose outline is what it was; None for anything else."""
    from lua_cli.source.decoding import DecodeError, decode
    from lua_cli.source.outline import bodies_of, outline
    from lua_cli.source.parsing import ParseError, parse
    from lua_cli.source.reads import read
    from lua_cli.source.secrets import secrets_in

    shown = project.relative(path)
    row = kept["rows"].get(shown)
    if row is None or path.resolve() != path:
        return None
    stat = path.stat()
    content = path.read_bytes()
    try:
        text = decode(content)
        tree = parse(text)
    except (DecodeError, ParseError):
        return None
    if not _runs(text) or _is_newer(content, kept["oldest"]) or any(secrets_in(text)):
        return None
    found = outline(text, bodies_of(tree, text), read(tree, text), row["kept"])
    if found.digest != row["outline"]:
        return None
    moved = Moved((row["blanks"], found.blanks), (row["inside"], found.inside))
    facts = [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, hashlib.sha256(content).hexdigest()]
    return _Edited(shown, content, facts, {**row, "blanks": found.blanks, "inside": found.inside}, moved)


def _runs(text: str) -> bool:
    """Whether Python compiles it: what the parser lets through (`return` outside of a function) the child would
    meet."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<source>", "exec", dont_inherit=True)
    except (SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _is_newer(content: bytes, oldest: Sequence[int] | None) -> bool:
    from lua_cli.bundle.syntax import newer_syntax

    return oldest is not None and newer_syntax(content, (oldest[0], oldest[1])) is not None


def _artifacts(
    project: Project, build: Build, edited: Sequence[_Edited], moves: Mapping[str, Moved]
) -> list[Artifact | BuiltArtifact]:
    """All artifacts of the build, those anew that hold an edited source."""
    new: dict[str, dict[str, bytes]] = {}
    for one in edited:
        for skill, member in one.row["members"]:
            new.setdefault(skill, {})[member] = one.content.replace(b"\r\n", b"\n")
    budget = project.settings.size_budget
    return [_sealed(one, new[name], moves, budget) if name in new else one for name, one in build.artifacts.items()]


def _sealed(built: BuiltArtifact, new: Mapping[str, bytes], moves: Mapping[str, Moved], budget: int) -> Artifact:
    """An artifact with other contents of some of its sources. Raises LuaError, MovedError where that is not all."""
    from lua_cli.bundle.archive import MAX_FILE
    from lua_cli.bundle.sealing import sealed

    opened = built.open()
    files = {name: new.get(name, content) for name, content in opened.files.items()}
    before, after = (sum(map(len, one.values())) for one in (opened.files, files))
    if (
        max(before, after) > budget
        or not new.keys() <= opened.files.keys()
        or any(len(content) > MAX_FILE for content in new.values())
    ):
        raise MovedError
    manifest = moved_manifest(opened.manifest, moves)
    manifest["files"] = [
        {**one, "sha256": hashlib.sha256(new[one["path"]]).hexdigest(), "size": len(new[one["path"]])}
        if one["path"] in new
        else one
        for one in manifest["files"]
    ]
    return sealed(built.skill, manifest, files)
