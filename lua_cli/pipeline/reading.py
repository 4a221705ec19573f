"""Reads a project whole: Python, flows, or both. In: a Project. Out: a `Read`: what is there, what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lua_cli.records import field, record

if TYPE_CHECKING:
    from pathlib import Path

    from lua_cli.analysis.model import Analysis, ClassInfo
    from lua_cli.diagnostics import Diagnostic
    from lua_cli.flows.beside import Beside, Written
    from lua_cli.flows.disk import Loaded
    from lua_cli.flows.model import Flows
    from lua_cli.project import Project
    from lua_cli.rules import Choice
    from lua_cli.source import SourceIndex


@record(frozen=True)
class Read:
    """A project as it was read. `files`, `listings` and `asked` are what the flows were made of."""

    analysis: Analysis
    diagnostics: list[Diagnostic]
    flows: Flows | None = None
    files: Mapping[Path, str] = field(default_factory=dict)
    listings: Mapping[Path, frozenset[str]] = field(default_factory=dict)
    asked: tuple[Path, ...] = ()


def read(project: Project, index: SourceIndex, choice: Choice) -> Read:
    """Read and judge the project."""
    _, of_record = read_at_first(project, index, choice)
    return of_record()


def read_at_first(project: Project, index: SourceIndex, choice: Choice) -> tuple[Read, Callable[[], Read]]:
    """Read and judge the project by `ast`'s facts, and what waits for the reading of record: that gives the same object
    where libcst reads what is judged alike (`analyse_at_first`).
    """
    loaded = _flows(project)
    if not project.has_python:
        from lua_cli.analysis.model import Analysis

        nothing = Analysis(project.relative(project.entry), (), (), {}, (), {})
        of_flows = _with_flows(project, index, choice, nothing, [], loaded)
        return of_flows, lambda: of_flows
    from lua_cli.analysis import analyse_at_first
    from lua_cli.rules import judge

    analysis, settled = analyse_at_first(project, index)
    at_first = _with_flows(project, index, choice, analysis, judge(analysis, index, project, choice), loaded)

    def of_record() -> Read:
        final = settled()
        if final is analysis:
            return at_first
        return _with_flows(project, index, choice, final, judge(final, index, project, choice), loaded)

    return at_first, of_record


def _with_flows(
    project: Project, index: SourceIndex, choice: Choice, analysis: Analysis, diagnostics: list[Diagnostic],
    loaded: Loaded | None,
) -> Read:  # fmt: skip
    """What was read of the Python, and of the flows beside it."""
    if loaded is None and not any(info.flow for info in analysis.classes.values()):
        return Read(analysis, diagnostics)
    from lua_cli.flows.beside import beside_python
    from lua_cli.flows.disk import Loaded
    from lua_cli.flows.model import Flows
    from lua_cli.rules.judging.chains import judge_flows

    loaded = loaded or Loaded(Flows())
    findings = (*loaded.flows.findings, *beside_python(loaded.flows, _beside(analysis)))
    said = judge_flows(findings, loaded.flows, index, project, choice)
    diagnostics = sorted((*diagnostics, *said), key=lambda each: each.sort_key())
    return Read(analysis, diagnostics, loaded.flows, loaded.read, loaded.listings, loaded.asked)


def _flows(project: Project) -> Loaded | None:
    if project.flows is None:
        return None
    from lua_cli.flows.disk import load_folder

    return load_folder(project.root, project.flows)


def _beside(analysis: Analysis) -> Beside:
    """The names of the registered skills and of their tools, and their flow tools."""
    from lua_cli.flows.beside import Beside, CalledFlow

    registered = [skill for skill in analysis.skills if skill.registered]
    skills = {skill.name: skill.place for skill in registered if skill.name is not None}
    found = (analysis.tool_class(use) for skill in registered for use in skill.tools)
    tools = {info.dotted: info for info in found if info is not None}.values()
    called = tuple(
        CalledFlow(info.name or "?", _written(info, "flow"), _written(info, "input_schema"))
        for info in tools
        if info.flow is not None
    )
    return Beside(skills, {info.name for info in tools if info.name is not None and info.flow is None}, called)


def _written(info: ClassInfo, name: str) -> Written:
    from lua_cli.flows.beside import Written

    attribute = info.attributes[name]
    unknown = (attribute.reason or "it is no constant") if attribute.state == "dynamic" else ""
    return Written(attribute.value, attribute.place or info.place, unknown)
