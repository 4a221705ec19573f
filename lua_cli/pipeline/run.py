"""Strings the stages: project → source → analysis → rules → bundle → probe → artifacts. In: a Project. Out: a
`Compiled`.

Prints nothing. Everything that goes out is JSON-able, so that an unchanged project is answered from the cache.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from lua_cli.errors import LuaError
from lua_cli.pipeline.keeping_facts import facts_store, keep_facts, read_beside
from lua_cli.pipeline.known import Compiled, remembered
from lua_cli.pipeline.reading import read as _read
from lua_cli.pipeline.reading import read_at_first
from lua_cli.pipeline.unchanged import Record
from lua_cli.records import field, record, replace

if TYPE_CHECKING:
    from pathlib import Path

    from lua_cli.bundle.model import Artifact, Collected
    from lua_cli.diagnostics import Diagnostic
    from lua_cli.packed import Packed
    from lua_cli.pipeline.outlines import Kept
    from lua_cli.pipeline.reading import Read
    from lua_cli.probe.ahead import Ahead
    from lua_cli.probe.model import SkillSeen
    from lua_cli.project import Project
    from lua_cli.rules import Choice
    from lua_cli.source import SourceIndex
    from lua_cli.source.beside import Beside

_PART = 1 << 16  # bytes that are read at once
Until = Literal["analysis", "bundling", "artifacts"]


def compile_project(
    project: Project,
    *,
    until: Until = "artifacts",
    choice: Choice | None = None,
    ci: bool = False,
    progress: Callable[[str], None] = lambda _text: None,
) -> Compiled:
    """Lint and, without errors, bundle. Raises LuaError for what is no finding in the user's source.

    `until` is the last stage to go through. "bundling" says all that is to be said without running anything,
    "analysis" what is needed to know names; both write nothing and start no child process.
    `choice` is what the command line asks of the rules; an answer for a choice of its own is not remembered. `ci`: a
    stale lock is an error.
    """
    if choice is None and until == "artifacts":
        with _no_collector():
            known = remembered(project, ci=ci)
        if known is not None:
            return known
    return compile_anew(project, until=until, choice=choice, ci=ci, progress=progress)


def compile_anew(
    project: Project,
    *,
    until: Until = "artifacts",
    choice: Choice | None = None,
    ci: bool = False,
    progress: Callable[[str], None] = lambda _text: None,
    beside: Beside | None = None,
) -> Compiled:
    """`compile_project` where the last build is known to be of no use. `beside` is a process that can read sources; it
    is ended here.
    """
    from lua_cli.rules import Choice

    if until == "artifacts":
        Record(project).forget()
    wanted = replace(choice or Choice(), ci=ci)
    with _no_collector(), _looking_ahead(project, until) as ahead:
        compiled, depends_on = _compile(project, until, wanted, progress, beside, ahead)
    if choice is None and depends_on is not None:
        depends_on.remember(project)
    return compiled


def explain_bundles(project: Project) -> list[dict[str, Any]]:
    """Why each file, package and variable is in each skill's artifact (docs/artifact.md). Raises LuaError with
    errors."""
    from lua_cli.bundle import collect, explain_bundle
    from lua_cli.rules import Choice
    from lua_cli.source import SourceIndex

    index = SourceIndex(project)
    read = _read(project, index, Choice())
    if _has_errors(read.diagnostics):
        raise LuaError("the project has errors, so nothing is bundled", hint="see them with `lua compile`")
    return [explain_bundle(draft) for draft in collect(read.analysis, index, project, read.flows).drafts]


def _compile(
    project: Project, until: Until, choice: Choice, progress: Callable[[str], None], begun: Beside | None,
    ahead: Ahead | None,
) -> tuple[Compiled, _Decided | None]:  # fmt: skip
    """The answer, and what it depends on (None when it is not to be remembered)."""
    from lua_cli.source import SourceIndex

    writes, reads = until == "artifacts", until != "analysis"
    store = facts_store(project, writes=writes)
    with read_beside(project, store, begun, with_reads=reads) as beside:
        index = SourceIndex(project, store, beside, reads=reads)
        progress("reading the project")
        read, of_record = read_at_first(project, index, choice)

        def bundle(read: Read) -> _Bundled | None:
            if until == "analysis" or _has_errors(read.diagnostics):
                return None
            progress("bundling")
            collected = _collect(project, index, read, choice, keeps=writes)
            if not writes or _has_errors(collected.diagnostics):  # with errors nothing is looked at
                return collected
            return _sealed(project, read, choice, collected, progress, ahead)

        bundled = bundle(read)
        if (final := of_record()) is not read:  # libcst reads something else: what was done meanwhile is void
            read, bundled = final, bundle(final)
        if writes:
            keep_facts(project, index)
        return _answered(project, index, read, choice, bundled, progress, writes=writes)


def _answered(
    project: Project, index: SourceIndex, read: Read, choice: Choice, bundled: _Bundled | None,
    progress: Callable[[str], None], *, writes: bool,
) -> tuple[Compiled, _Decided | None]:  # fmt: skip
    from lua_cli.report import build_document

    if bundled is None:
        ok = not _has_errors(read.diagnostics)
        return Compiled(build_document(project, read.analysis, read.diagnostics, ok=ok, flows=read.flows)), None
    diagnostics = sorted((*read.diagnostics, *bundled.diagnostics), key=lambda each: each.sort_key())
    ok = not _has_errors(diagnostics)
    document = build_document(
        project, read.analysis, diagnostics,
        ok=ok, artifacts={a.skill: a for a in bundled.artifacts}, schemas=bundled.schemas, flows=read.flows,
    )  # fmt: skip
    if not (ok and writes):
        return Compiled(document), None
    return _written(project, index, read, choice, bundled, document, progress)


@contextmanager
def _looking_ahead(project: Project, until: Until) -> Iterator[Ahead | None]:
    """The child that looks at the tools, begun now where there is a core for it."""
    from lua_cli.probe.inspecting import cores

    if until != "artifacts" or not project.has_python or cores() == 1:
        yield None
        return
    from lua_cli.probe.ahead import Ahead

    ahead = Ahead()
    try:
        ahead.begin(project)
        yield ahead
    finally:
        ahead.drop()


@record(frozen=True)
class _Bundled:
    """What came of bundling. `artifacts` is empty with errors."""

    collected: Collected
    diagnostics: tuple[Diagnostic, ...]
    schemas: Mapping[str, Any]
    artifacts: tuple[Artifact, ...]
    seen: Mapping[str, SkillSeen] = field(default_factory=dict)


@record(frozen=True)
class _Decided:
    """What a build depends on: as `Record.write` takes it, and what of each source (outlines.py)."""

    files: Mapping[Path, str]
    listings: Mapping[Path, frozenset[str]]
    others: list[Path]
    collected: Collected
    outlines: Kept
    words: Packed | None

    def remember(self, project: Project) -> None:
        from lua_cli.pipeline.outlines import Outlines

        collected = self.collected
        variables = {*collected.looked_up, *(name for draft in collected.drafts for name in draft.env)}
        record = Record(project).write(self.files, self.listings, self.others, variables, collected.folders)
        if record is not None:
            kept = Outlines(str(project.output / "cache"))
            kept.keep_table(self.words)
            with (project.output / "artifacts" / "manifest.json").open("rb") as document:
                kept.keep(self.outlines, record, iter(partial(document.read, _PART), b""))


def _collect(project: Project, index: SourceIndex, read: Read, choice: Choice, *, keeps: bool) -> _Bundled:
    """What belongs to each skill, and what there is to say about it."""
    from lua_cli.bundle import collect
    from lua_cli.rules import say

    collected = collect(read.analysis, index, project, read.flows, keeps=keeps)
    return _Bundled(collected, tuple(say(collected.findings, project, choice)), {}, ())


def _sealed(
    project: Project, read: Read, choice: Choice, before: _Bundled, progress: Callable[[str], None], ahead: Ahead | None
) -> _Bundled:
    """With what a look at the tools says, and the artifacts."""
    from lua_cli.bundle import seal
    from lua_cli.probe import inspect
    from lua_cli.rules import say
    from lua_cli.rules.provider_limits import schema_findings

    progress("reading the schemas")
    collected, diagnostics = before.collected, list(before.diagnostics)
    python = [draft for draft in collected.drafts if draft.flow is None]
    probed = inspect(python, project, project.output / "cache", ahead=ahead)
    diagnostics += say(probed.findings, project, choice)
    schemas = {
        key: {"inputSchema": tool.schema, "outputSchema": tool.output_schema}
        for draft in python
        for key, tool in probed.seen[draft.skill].tools.items()
    }
    if choice.providers:
        diagnostics += say(schema_findings(read.analysis, schemas, choice.providers), project, choice)
    artifacts = () if _has_errors(diagnostics) else tuple(seal(draft, schemas) for draft in collected.drafts)
    return _Bundled(collected, tuple(diagnostics), schemas, artifacts, probed.seen)


def _written(
    project: Project, index: SourceIndex, read: Read, choice: Choice, bundled: _Bundled, document: Mapping[str, Any],
    progress: Callable[[str], None],
) -> tuple[Compiled, _Decided]:  # fmt: skip
    """The build on disk, and what it depends on."""
    from lua_cli.bundle import write_build
    from lua_cli.pipeline.outlines import outlines

    progress("writing the artifacts")
    written = write_build(project.output, bundled.artifacts, document)
    collected = bundled.collected
    others = [
        project.root / "pyproject.toml",
        *collected.asked,
        *read.asked,
        *written.places().values(),
    ]
    files = index.read | dict(collected.read) | dict(read.files)
    listings = {**index.finder.listings, **read.listings}
    rows, words = outlines(project, index, collected.drafts, bundled.seen, read.analysis, choice)
    return Compiled(document, written.artifacts), _Decided(files, listings, others, collected, rows, words)


def _has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(d.severity == "error" for d in diagnostics)


@contextmanager
def _no_collector() -> Iterator[None]:
    """The work makes many objects that live to its end: looking for cycles in between costs a fifth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
