"""What tools are called and what is said of them, where an edit of it changes nothing but that: the words of a build.

In: the analysis of a build that was just made, its sources, the rows of outlines.py. Out: a table that the rules which
judge words can be run on again (rejudged.py), and the lines of each source on which a word stands. None where somebody
else may have asked a tool for its words: code of the project that was run or looked into, a package that got a tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.analysis.model import Attribute, ClassInfo
from lua_cli.pipeline.edited_words import parted
from lua_cli.plain_json import dumps
from lua_cli.rules.judging.levels import Levels
from lua_cli.rules.judging.worded import CODES
from lua_cli.source.parsing import parse
from lua_cli.source.word_reads import WORDS, words_read

if TYPE_CHECKING:
    from lua_cli.analysis.model import AgentInfo, Analysis, SkillInfo, ToolUse
    from lua_cli.diagnostics import Place
    from lua_cli.project import Project
    from lua_cli.rules import Choice
    from lua_cli.source import SourceIndex

Lines = dict[str, list[list[Any]]]


def words_of(
    project: Project, index: SourceIndex, analysis: Analysis, choice: Choice, rows: Mapping[str, Any],
    bundled: Iterable[str],
) -> tuple[bytes, Lines] | None:  # fmt: skip
    """The table, and for each source the lines on which a word stands: [line, "name" or "description", class].
    `bundled` are the files that the tools' process can import, as they are shown."""
    if analysis.hands_on or project.flows is not None or any(info.flow for info in analysis.classes.values()):
        return None
    free = set(WORDS)
    for path in {*bundled, *analysis.modules.values()}:
        free -= _asked_for(index, path, rows.get(path)) if path.endswith(".py") else set()
        if not free:
            return None
    lines: Lines = {}
    for info in analysis.classes.values():
        for key in info.written:
            place = info.attributes[key].place
            if key in free and place is not None and place.path in rows and _is_a_line(index, info, key, place):
                lines.setdefault(place.path, []).append([place.line, key, info.dotted])
    lines = {path: _once(found) for path, found in lines.items()}
    try:
        return dumps(_Table(analysis).content(_levels(project, choice)), compact=True).encode(), lines
    except (TypeError, ValueError):  # a context that JSON cannot say
        return None


def _once(words: list[list[Any]]) -> list[list[Any]]:
    """Without the lines of a module that is imported under two names: each is a word of two classes."""
    count = Counter(line for line, _, _ in words)
    return [word for word in words if count[word[0]] == 1]


def _asked_for(index: SourceIndex, path: str, row: Mapping[str, Any] | None) -> frozenset[str]:
    """What a source may ask tools for. Where it suppresses something, that may be about words."""
    text = index.text(path)
    if "lua:" in text:
        return frozenset(WORDS)
    blanks = row["blanks"] if row is not None else ()
    return words_read(text, lambda: parse(text), blanks)


def _is_a_line(index: SourceIndex, info: ClassInfo, key: str, place: Place) -> bool:
    """Whether a word has a line to itself, and says there what the class has."""
    attribute = info.attributes[key]
    if attribute.owner != info.dotted or attribute.text is None or place.line != place.end_line:
        return False
    found = parted(index.text(place.path).split("\n")[place.line - 1], key)
    return found is not None and (len(found.head) + 1, found.value) == (place.column, attribute.text)


def _levels(project: Project, choice: Choice) -> dict[str, str]:
    """How severely what the rules of words say is said, where that is not as a warning."""
    levels = Levels(project, choice)
    return {code: level for code in CODES if (level := levels.of(code)) != "warning"}


class _Table:
    """The analysis without all that rules of words do not ask for. Attributes are listed once: a class refers to one by
    its number, so that what is inherited is the same thing.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._attributes: list[list[Any]] = []
        self._numbers: dict[int, int] = {}

    def content(self, levels: Mapping[str, str]) -> dict[str, Any]:
        analysis = self._analysis
        return {
            "entry": analysis.entry,
            "paths": sorted(analysis.modules.values()),
            "levels": dict(levels),
            "agents": [self._agent(agent) for agent in analysis.agents],
            "skills": [self._skill(skill) for skill in analysis.skills],
            "classes": {dotted: self._class(info) for dotted, info in analysis.classes.items()},
            "attributes": self._attributes,
        }

    def _agent(self, agent: AgentInfo) -> dict[str, Any]:
        attributes = self._of(agent.attributes, agent.attributes)
        return {"place": _numbers(agent.place), "attributes": attributes, "skills": list(agent.skills)}

    def _skill(self, skill: SkillInfo) -> dict[str, Any]:
        return {
            "attributes": self._of(skill.attributes, skill.attributes),
            "registered": skill.registered,
            "tools": list(map(self._use, skill.tools)),
        }

    def _use(self, use: ToolUse) -> list[Any]:
        return [use.form, use.class_dotted, use.maybe, _numbers(use.place)]

    def _class(self, info: ClassInfo) -> list[Any]:
        attributes = self._of(info.attributes, ("name", "description"))
        return [info.module, info.qualname, info.is_tool, _numbers(info.place), attributes]

    def _of(self, attributes: Mapping[str, Attribute], names: Iterable[str]) -> dict[str, int]:
        return {name: self._number(attributes[name]) for name in names}

    def _number(self, one: Attribute) -> int:
        if id(one) not in self._numbers:
            self._numbers[id(one)] = len(self._attributes)
            value = one.value if one.state == "known" else None
            self._attributes.append([one.name, one.state, value, _numbers(one.place) if one.place else None, one.owner])
        return self._numbers[id(one)]


def _numbers(place: Place) -> list[Any]:
    return [place.path, place.line, place.column, place.end_line, place.end_column]
