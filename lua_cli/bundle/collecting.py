"""The analysis → one draft for each registered skill.

In: the analysis of a project without errors, the source index, the project. Out: drafts, and findings about what cannot
be bundled. Must not run anything, and must not say again what the analysis has said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.analysis.model import Analysis, Attribute, ClassInfo, Finding, SkillInfo, ToolUse
from lua_cli.bundle.closure import Closure, Imports, Outside, member_name
from lua_cli.bundle.datafiles import add_document, add_included, add_read
from lua_cli.bundle.dynamic import covered
from lua_cli.bundle.environment import Environment
from lua_cli.bundle.members import FileReader, Members
from lua_cli.bundle.model import BundledFile, Collected, Draft, DraftTool, Requirement
from lua_cli.bundle.sealing import largest, shown_size
from lua_cli.bundle.secrets import find_secrets
from lua_cli.bundle.skill_folders import add_folder, folder_of
from lua_cli.bundle.syntax import newer_syntax, oldest_python
from lua_cli.diagnostics import Place
from lua_cli.errors import UsageError
from lua_cli.project import Project
from lua_cli.project.envfile import EXAMPLES
from lua_cli.records import replace
from lua_cli.source import SourceIndex

if TYPE_CHECKING:
    from lua_cli.bundle.requires import Requirements
    from lua_cli.flows.model import Block, Flows
    from lua_cli.flows.reach import Reach

LOCK_FILES = ("pylock.toml", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.txt")
# What comes with lua-cli: no artifact needs to ask for it.
_GIVEN = frozenset(
    {"lua_cli", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
)


def collect(
    analysis: Analysis, index: SourceIndex, project: Project, flows: Flows | None = None, *, keeps: bool = True
) -> Collected:
    """The drafts of the registered skills, in the order of the agents, then those of the flows' agents. Without
    `keeps` the findings alone are wanted: the drafts have no files then."""
    return _Collector(analysis, index, project, keeps=keeps).collected(flows)


class _Collector:
    """What the skills of one project share: modules are followed, files and metadata read, once."""

    def __init__(self, analysis: Analysis, index: SourceIndex, project: Project, *, keeps: bool) -> None:
        self._analysis = analysis
        self._index = index
        self._project = project
        self._imports = Imports(index)
        self._keeps = keeps
        self._reader = FileReader(project, index, keeps=keeps)
        self._findings: list[Finding] = []
        self._members_of: dict[str, str] = {}
        self._looked_through = set(analysis.modules.values())
        self._requirements: Requirements | None = None
        self._environment = Environment(project, index)
        self._oldest = oldest_python(project.settings.requires_python)
        self._parsed: set[str] = set()

    def collected(self, flows: Flows | None) -> Collected:
        drafts = tuple(self._draft(skill, flows) for skill in _registered(self._analysis))
        if flows is not None:
            from lua_cli.bundle.flow_drafts import flow_drafts

            agents = tuple(flow_drafts(flows, self._python_of))
            for agent in agents:
                self._say_secrets(agent.files)
            drafts += agents
        self._environment.say_missing(drafts)
        findings = [*self._findings, *(self._requirements.findings if self._requirements else ())]
        findings += self._environment.findings
        deciding = {self._project.root / name for name in (*LOCK_FILES, ".env", *EXAMPLES)}
        if self._requirements and self._requirements.lock_path:  # it may be that of a workspace further up
            deciding.add(self._requirements.lock_path)
        asked = deciding | self._reader.asked - self._reader.digests.keys()
        found = (folder_of(skill, self._project) for skill in _registered(self._analysis))
        folders = tuple(sorted({folder for folder in found if folder is not None}))
        looked_up = self._environment.looked_up
        return Collected(drafts, tuple(findings), self._reader.digests, tuple(sorted(asked)), looked_up, folders)

    def _draft(self, skill: SkillInfo, flows: Flows | None = None) -> Draft:
        found = (self._analysis.tool_class(use) for use in skill.tools)
        tools = list({info.dotted: info for info in found if info is not None}.values())
        reach = _reach(flows, tools)
        called = tuple(info for _, info in self._called(reach.python)) if reach else ()
        closure = self._closure(skill, (*(info for info in tools if info.flow is None), *called))
        members = Members(self._reader)
        instructions = add_document(members, skill, self._project)
        folder = add_folder(members, skill, instructions, self._project)
        add_included(members, self._project)
        self._add_modules(members, closure, skill)
        add_read(members, closure.modules.values(), self._imports)
        self._say_about(closure)
        requires = self._requirements_of(closure)
        uses = self._environment.uses(closure.modules.values(), self._where)
        files = members.files()
        self._findings += members.findings
        context = skill.attributes["context"].value
        draft = Draft(
            skill=skill.name or "",
            description=skill.attributes["description"].text or "",
            context=context if isinstance(context, str | dict) else "",
            instructions=instructions,
            folder=folder,
            condition=(skill.condition.module, skill.condition.attribute) if skill.condition else None,
            tools=tuple(map(_tool, tools)),
            files=files,
            requires=requires,
            env=tuple(use.name for use in uses),
            python=self._project.settings.requires_python,
            place=skill.place,
            env_uses=uses,
            lock=self._requirements.lock if requires and self._requirements else None,
        )
        draft = _with_flows(draft, flows, reach, called) if flows and reach else draft
        self._say_secrets(draft.files)
        self._say_size(skill, draft.files)
        self._say_newer(draft.files)
        return draft if self._keeps else replace(draft, files=())

    def _called(self, names: tuple[str, ...]) -> list[tuple[ToolUse, ClassInfo]]:
        """The registered Python tools of these names, which flows call."""
        found: dict[str, tuple[ToolUse, ClassInfo]] = {}
        for skill in _registered(self._analysis):
            for use in skill.tools:
                info = self._analysis.tool_class(use)
                if info is not None and info.flow is None and info.name is not None and info.name in names:
                    found.setdefault(info.name, (use, info))
        return list(found.values())

    def _python_of(self, block: Block, names: tuple[str, ...]) -> tuple[Draft, tuple[ClassInfo, ...]]:
        """The draft of the Python tools that an agent's flows call."""
        called = self._called(names)
        if not called:
            empty = Draft(block.label, "", "", None, None, (), (), (), (), "", block.place)
            return empty, ()
        blank = {name: Attribute(name, "missing") for name in ("description", "context", "instructions")}
        attributes = {**blank, "name": Attribute("name", "known", block.label)}
        stand_in = SkillInfo(block.place, block.place, "", True, attributes, tuple(use for use, _ in called))
        return self._draft(stand_in), tuple(info for _, info in called)

    def _closure(self, skill: SkillInfo, classes: Iterable[ClassInfo]) -> Closure:
        """The closure of the tools, the condition and `include-modules`, with the packages whose files it reads."""
        roots: list[tuple[str, str, Place | None]] = [
            (info.module, f"the module of tool {info.name or info.qualname}", info.place) for info in classes
        ]
        if skill.condition:
            roots.append((skill.condition.module, f"the condition of skill {skill.name}", skill.condition.place))
        for dotted in self._project.settings.include_modules:
            if self._index.locate(dotted) is None:
                hint = "write dotted names, as in an import"
                raise UsageError(f"include-modules in [tool.lua]: there is no module {dotted!r}", hint=hint)
            roots.append((dotted, "include-modules in [tool.lua]", None))
        while True:
            closure = self._imports.closure(roots)
            known = {dotted for dotted, _, _ in roots}
            new = [root for root in self._packages_read(closure) if root[0] not in known]
            if not new:
                return closure
            roots += new

    def _packages_read(self, closure: Closure) -> Iterator[tuple[str, str, Place | None]]:
        for module in closure.modules.values():
            for read in self._index.data_reads(module.location):
                if read.package is not None:
                    yield read.package, f"its files are read by {read.place.path}:{read.place.line}", read.place

    def _add_modules(self, members: Members, closure: Closure, skill: SkillInfo) -> None:
        for module in closure.modules.values():
            location, place = module.location, module.place or skill.place
            if location.native is not None:
                members.say("lua/native-extension", place, name=location.dotted, reason=location.native.name)
            elif location.path is not None:
                name = member_name(location)
                self._members_of[self._index.shown(location.path)] = name
                beside = location.origin != "first-party"
                members.add(name, location.path, "module", module.reason, place, beside=beside)

    def _say_about(self, closure: Closure) -> None:
        for error in closure.broken:
            self._findings.append(Finding("lua/syntax-error", error.place, {"reason": error.reason}))
        for location, fact in closure.dynamic:
            if not covered(fact.module, location, self._project.settings.include_modules):
                facts = {"expression": fact.module, "name": location.dotted}
                self._findings.append(Finding("lua/dynamic-import", fact.place, facts))

    def _say_secrets(self, files: Iterable[BundledFile]) -> None:
        """Where secrets are, never what they are. Sources that the analysis reached have their own rule; a file that
        several skills hold is looked through once."""
        new = {file.name: file for file in files if file.source not in self._looked_through}
        self._looked_through |= {file.source for file in new.values()}
        for name, secrets in find_secrets({name: file.content for name, file in new.items()}).items():
            for secret in secrets:
                place = Place(new[name].source, secret.line, secret.column, secret.line, secret.end_column)
                facts = {"name": secret.kind, "fingerprint": secret.fingerprint}
                self._findings.append(Finding("lua/secret-in-bundle", place, facts))

    def _say_size(self, skill: SkillInfo, files: Iterable[BundledFile]) -> None:
        """An artifact that outgrows its budget: an upload and an unpacking that somebody waits for."""
        sizes = {file.source: file.packed.size for file in files}
        total, budget = sum(sizes.values()), self._project.settings.size_budget
        if total > budget:
            reason = f"{shown_size(total)}, and the budget is {shown_size(budget)}; most of it are {largest(sizes)}"
            facts = {"name": skill.name or "", "reason": reason}
            self._findings.append(Finding("lua/artifact-large", skill.place, facts))

    def _say_newer(self, files: Iterable[BundledFile]) -> None:
        """Syntax that the oldest Python of `requires-python` cannot read, each file once."""
        for file in files if self._oldest else ():
            if file.kind != "module" or file.source in self._parsed:
                continue
            self._parsed.add(file.source)
            found = newer_syntax(file.content, self._oldest) if self._oldest else None
            if found is not None:
                place = Place(file.source, found.line, found.column, found.line, found.column + 1)
                allowed = f"requires-python allows {self._project.settings.requires_python}"
                advice = "write it for the oldest Python that is allowed, or raise requires-python in [project]"
                facts = {"reason": f"{found.reason}, and {allowed}", "advice": advice}
                self._findings.append(Finding("lua/syntax-error", place, facts))

    def _requirements_of(self, closure: Closure) -> tuple[Requirement, ...]:
        outside = [
            found
            for found in closure.outside
            if found.dotted.partition(".")[0] not in _GIVEN and not (found.location is None and self._judged(found))
        ]
        local = [module for module in closure.modules.values() if module.location.origin != "first-party"]
        if not (outside or local):
            return ()
        if self._requirements is None:
            from lua_cli.bundle.requires import Requirements

            self._requirements = Requirements(self._project, self._where)
        found = (*self._requirements.of(outside), *self._requirements.local(local))
        return tuple(sorted(found, key=lambda one: (one.imports, one.distribution)))

    def _judged(self, found: Outside) -> bool:
        """The analysis runs the top levels of the modules that it reaches, and has said what is missing there."""
        return found.importer in self._analysis.modules and found.fact.guard != "function"

    def _where(self, place: Place) -> str:
        """A place as an artifact carries it: in the project; for a source beside the project, in the artifact."""
        return f"{place.path if not Path(place.path).is_absolute() else self._members_of[place.path]}:{place.line}"


def _registered(analysis: Analysis) -> list[SkillInfo]:
    """The skills that an agent holds, each once, in order."""
    positions = dict.fromkeys(position for agent in analysis.agents for position in agent.skills)
    return [analysis.skills[position] for position in positions]


def _reach(flows: Flows | None, tools: Iterable[ClassInfo]) -> Reach | None:
    """What the flows of a skill's flow tools need; None without any."""
    names = dict.fromkeys(info.flow.text for info in tools if info.flow is not None)
    if flows is None or not names:
        return None
    from lua_cli.flows.reach import reach_of

    return reach_of(flows, *(flows.flows[name] for name in names if name is not None))


def _with_flows(draft: Draft, flows: Flows, reach: Reach, called: Iterable[ClassInfo]) -> Draft:
    from lua_cli.bundle.flow_drafts import entries, with_flows

    return replace(with_flows(draft, flows, reach), called=entries(called))


def _tool(info: ClassInfo) -> DraftTool:
    if info.flow is not None:
        from lua_cli.bundle.flow_drafts import flow_tool

        return flow_tool(info)
    attributes = info.attributes
    condition, flags = attributes["condition"], attributes["voice_flags"].value
    return DraftTool(
        name=info.name or "",
        description=attributes["description"].text or "",
        module=info.module,
        qualname=info.qualname,
        has_condition=condition.state != "missing" and not (condition.owner or "").startswith("lua_cli."),
        voice_flags=tuple(sorted(map(str, flags))) if isinstance(flags, set | frozenset | list | tuple) else (),
        place=info.place,
    )
