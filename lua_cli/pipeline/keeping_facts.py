"""Where the facts of sources are kept between compiles: `.lua/cache/facts.bin` (source/store.py). In: a project. Out:
the store, with the identity of all that decides how a source is read; its file, written after the reading.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli._version import __version__
from lua_cli.pipeline import at_once
from lua_cli.pipeline.stamps import replace_cached
from lua_cli.source.store import FactsStore

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.source import SourceIndex
    from lua_cli.source.beside import Beside


def facts_store(project: Project, *, writes: bool) -> FactsStore:
    identity = ascii((__version__, at_once.program(), sys.version, _libcst()))
    return FactsStore(_place(project), identity, writes=writes)


@contextmanager
def read_beside(
    project: Project, store: FactsStore, begun: Beside | None, *, with_reads: bool
) -> Iterator[Beside | None]:
    """A process that reads sources beside this one, as long as it holds; None where there is no core for it. Where
    facts were kept, few files are read, and it is there for libcst alone. `begun` is one that runs already.
    """
    from lua_cli.source.beside import Beside, can_begin, probable_files

    if not project.has_python:
        yield None
        return
    beside = begun if begun is not None else Beside() if can_begin() else None
    try:
        if beside is not None and store.empty:
            files = probable_files(project.import_roots, (project.output, *project.interpreter.packages))
            beside.read(files, with_reads=with_reads)
        yield beside
    finally:
        if beside is not None:
            beside.end()


def keep_facts(project: Project, index: SourceIndex) -> None:
    """Write down what this reading asked for. A disk that refuses costs the next reading its time, nothing else."""
    content = index.store.content()
    if content is not None:
        path = _place(project)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_cached(path, content)


def _place(project: Project) -> Path:
    return project.output / "cache" / "facts.bin"


def _libcst() -> str:
    """Which libcst is the other reader, without importing it."""
    found = find_spec("libcst")
    origin = found.origin if found is not None else None
    return f"{origin} {Path(origin).stat().st_mtime_ns}" if origin else ""
