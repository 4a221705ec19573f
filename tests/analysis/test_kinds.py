"""Kinds of Python that projects are written in, each a small project in `kinds/*.txt`, imported for real beside its analysis.

A project starts with `#### name`; `## path` starts a file of it; `## said` lists the diagnostics that it gets, as `code path:line`, and no other.
What the analysis says of its classes and registrations has to be what Python makes of them, unless one of these says why it cannot be known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from lua_cli.analysis import analyse
from lua_cli.project import open_project
from lua_cli.rules import judge
from lua_cli.source import SourceIndex
from tests.analysis.comparison import silent_mistakes
from tests.analysis.oracle import Oracle

# Rules about words (descriptions, schemas, secrets …) have tests of their own.
JUDGED = {
    f"lua/{code}"
    for code in (
        *("not-a-tool", "constructor-args-dropped", "constructor-args-required", "unresolved-primitive-ref"),
        *("unresolved-base", "unresolved-import", "duplicate-tool", "dynamic-attribute", "ambiguous-binding"),
        *("dynamic-class", "runtime-mutation", "abstract-tool", "missing-attribute", "tool-name-style"),
        *("tool-name-invalid", "syntax-error", "inconsistent-mro"),
    )
}


def _projects() -> dict[str, tuple[dict[str, str], list[str]]]:
    """Name → (files, what is said)."""
    out: dict[str, tuple[dict[str, str], list[str]]] = {}
    for source in sorted((Path(__file__).parent / "kinds").glob("*.txt")):
        for chunk in ("\n" + source.read_text("utf-8")).split("\n#### ")[1:]:
            name, _, text = chunk.partition("\n")
            sections: dict[str, str] = {}
            for section in ("\n" + text).split("\n## ")[1:]:
                path, _, content = section.partition("\n")
                sections[path.strip()] = content + "\n"
            said = sections.pop("said").split("\n")
            assert name not in out, f"two projects are called {name}"
            out[name] = sections, sorted(line for line in said if line)
    return out


PROJECTS = _projects()


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    one = Oracle()
    yield one
    one.close()


@pytest.mark.parametrize("name", PROJECTS)
def test_is_as_python_makes_it(name: str, write_project: Callable[[Mapping[str, str]], Path], oracle: Oracle) -> None:
    files, expected = PROJECTS[name]
    root = write_project(files)
    project = open_project(root)
    index = SourceIndex(project)
    analysis = analyse(project, index)
    said = [diagnostic for diagnostic in judge(analysis, index, project) if diagnostic.code in JUDGED]
    assert silent_mistakes(analysis, said, oracle.look(root)) == []
    assert sorted({f"{one.code} {one.place.path}:{one.place.line}" for one in said}) == expected
