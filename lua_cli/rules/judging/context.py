"""What a rule's `check` sees: the analysis, the project, the sources, and the registered tools worked out once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lua_cli.analysis.model import AgentInfo, Analysis, Attribute, ClassInfo, SkillInfo, ToolUse
from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.records import field, record
from lua_cli.rules.judging.choice import Choice
from lua_cli.source.recent import Recent

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.rules.judging.suppressions import Suppression
    from lua_cli.rules.judging.toplevel import TopLevel
    from lua_cli.source import SourceIndex
    from lua_cli.source.spans import Span


class RegisteredTool(NamedTuple):
    """A class of a registered skill that is a tool, at one place where it is registered."""

    skill: SkillInfo
    use: ToolUse
    info: ClassInfo


@record(frozen=True)
class Outcome:
    """What came of the rules that ran first. `used` are the (code, place) pairs of suppressions that silenced
    something.
    """

    suppressions: tuple[Suppression, ...]
    used: frozenset[tuple[str, Place]]
    found: tuple[Diagnostic, ...]


@record(frozen=True, slots=False)
class Context:
    """One project under judgement."""

    analysis: Analysis
    project: Project
    index: SourceIndex
    choice: Choice = field(default_factory=Choice)
    outcome: Outcome | None = None

    @cached_property
    def skills(self) -> tuple[SkillInfo, ...]:
        """The registered skills, each once."""
        return tuple(skill for skill in self.analysis.skills if skill.registered)

    def skills_of(self, agent: AgentInfo) -> list[SkillInfo]:
        return [self.analysis.skills[position] for position in agent.skills]

    def uses(self) -> Iterator[tuple[SkillInfo, ToolUse, ClassInfo | None]]:
        """Every element of every registered skill's tools."""
        for skill in self.skills:
            for use in skill.tools:
                yield skill, use, self.analysis.tool_class(use)

    @cached_property
    def tools(self) -> tuple[RegisteredTool, ...]:
        """The elements that are tools, each place where one is registered."""
        return tuple(
            RegisteredTool(skill, use, info)
            for skill, use, info in self.uses()
            if info is not None and info.is_tool and use.form in ("instance", "class")
        )

    @cached_property
    def tool_classes(self) -> tuple[RegisteredTool, ...]:
        """Each registered tool class once, with the first place where it is registered."""
        first: dict[str, RegisteredTool] = {}
        for tool in self.tools:
            first.setdefault(tool.info.dotted, tool)
        return tuple(first.values())

    def place_of(self, attribute: Attribute | None, tool: RegisteredTool) -> Place:
        """Where the user can do something about an attribute: its value, or the registration when the value is not
        theirs.
        """
        if attribute is not None and attribute.place is not None and self.is_own(attribute.place):
            return attribute.place
        return tool.use.place

    def class_place(self, tool: RegisteredTool) -> Place:
        """The class's name, or the registration when the class is not the project's."""
        return tool.info.place if self.is_own(tool.info.place) else tool.use.place

    def is_own(self, place: Place) -> bool:
        """Whether a place lies in the project's own modules (paths outside of its root are absolute)."""
        return place.path in self.own_paths

    @cached_property
    def own_paths(self) -> frozenset[str]:
        return frozenset((self.analysis.entry, *self.analysis.modules.values()))

    def text(self, path: str) -> str:
        """The source of a path as places have it; "" when it cannot be read (another diagnostic says so)."""
        self.index.whole.add(self.project.root / path)
        return self.glance(path)

    def glance(self, path: str) -> str:
        """The same for one who asks it only whether something is there: what the answer depends on beyond the bodies
        of functions is seen by the comparison of outlines (docs/architecture.md)."""
        return source_text(self.index, path)

    @cached_property
    def _top_levels(self) -> Recent[str, TopLevel | None]:
        return Recent()

    def top_level(self, module: str) -> TopLevel | None:
        """What a module of the project does when it is imported; None for one that cannot be read."""
        from lua_cli.rules.judging.toplevel import TopLevel
        from lua_cli.source import SourceError

        if module not in self._top_levels:
            path = self.analysis.modules.get(module)
            location = self.index.entry() if path == self.analysis.entry else self.index.locate(module)
            try:
                facts = self.index.facts(location) if location else None
            except SourceError:
                facts = None
            self._top_levels[module] = (
                TopLevel.of(module, facts, is_package=location.is_package) if location and facts else None
            )
        return self._top_levels[module]

    def place(self, module: str, span: Span) -> Place:
        """The place of a span in a module of the project."""
        return self.index.place(self.project.root / self.analysis.modules[module], span)

    def source(self, place: Place) -> str:
        """The text of a place that lies on one line; "" when it spans several."""
        if place.line != place.end_line:
            return ""
        lines = self.text(place.path).split("\n")
        text = lines[place.line - 1] if place.line <= len(lines) else ""
        return text[place.column - 1 : place.end_column - 1]


def source_text(index: SourceIndex, path: str) -> str:
    """The text of a source, by the path that places have; "" when it cannot be read."""
    from lua_cli.source import SourceError

    try:
        return index.text(path)
    except SourceError:
        return ""


def short(dotted: str) -> str:
    """The last part of a dotted name: what the user calls the class."""
    return dotted.rpartition(".")[2]


def within(inner: Place, outer: Place) -> bool:
    """Whether a place begins inside another one."""
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return inner.path == outer.path and start <= (inner.line, inner.column) <= end
