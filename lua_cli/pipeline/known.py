"""What is known of a compile without reading the project: its last build, while what decided it is as it was, or what
becomes of that when only bodies of functions were edited. In: a Project. Out: a `Compiled`, or None.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lua_cli.pipeline.unchanged import Known, Record

if TYPE_CHECKING:
    from lua_cli.bundle.model import Build, BuiltArtifact
    from lua_cli.project import Project


class Compiled(NamedTuple):
    """The answer of a compile.

    document   what `lua compile --format json` prints (docs/compile-json.md)
    artifacts  the built artifacts by skill name; empty with errors and with `check`
    """

    document: Mapping[str, Any]
    artifacts: Mapping[str, BuiltArtifact] = MappingProxyType({})

    @property
    def ok(self) -> bool:
        return bool(self.document["ok"])


def remembered(project: Project, *, ci: bool = False) -> Compiled | None:
    """The last build, when nothing that decided it has changed, or brought up to date when nothing but bodies of
    functions has that decided nothing. With `ci` not one whose lock is stale."""
    from lua_cli.bundle import read_build

    known = Record(project).changed()
    built = read_build(project.output) if known is not None else None
    if known is None or built is None or not _speaks_of(known, built):
        return None
    if ci and any(one["code"] == "lua/lock-stale" for one in built.document["diagnostics"]):
        return None
    if not known.changed:
        return Compiled(built.document, built.artifacts)
    from lua_cli.bundle.output import build_of
    from lua_cli.pipeline.edits import apply

    applied = apply(str(project.root), known.content, known.record, known.changed)
    if applied is None:
        return None
    return Compiled(applied.answer(), build_of(project.output, Path(applied.folder), {}, applied.entries).artifacts)


def _speaks_of(known: Known, built: Build) -> bool:
    """Whether the record is that of this build: two compiles at once may write one and the other."""
    return all(str(place) in known.record["files"] for place in built.places().values())
