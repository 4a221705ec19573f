"""What tools are called and what is said of them, where an edit of it changes nothing but that: the words of a build.

In: the analysis of a build that was just made, its sources, the rows of outlines.py. Out: a table that the rules which
judge words can be run on again (rejudged.py), and the lines of each source on which a word stands. None where somebody
else may have asked a tool for its words: code of the project that was run or looked into, a package that got a tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.analysis.model import Attribute, ClassInfo
from lua_cli.packed import Packed
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


class Unasked:
    """`words`: those that no source which was looked at asks a tool for. `bundled` are the files that the tools'
    process can import, as they are shown; of other sources nothing is asked but of those that the analysis reached.
    """

    def __init__(self, project: Project, index: SourceIndex, analysis: Analysis, bundled: Iterable[str]) -> None:
        asked = analysis.hands_on or project.flows is not None or any(info.flow for info in analysis.classes.values())
        self.words: set[str] = set() if asked else set(WORDS)
        self._index = index
        self._left = {path for path in (*bundled, *analysis.modules.values()) if path.endswith(".py")}

    def look_at(self, path: str, blanks: Sequence[tuple[int, int]] = ()) -> None:
        """See what a source asks for. `blanks` are its bodies that nobody looked into."""
        if path in self._left:
            self._left.remove(path)
            if self.words:
                self.words -= _asked_for(self._index, path, blanks)

    def look_at_rest(self) -> None:
        for path in sorted(self._left):
            self.look_at(path)


def words_of(
    project: Project, index: SourceIndex, analysis: Analysis, choice: Choice, free: Container[str],
    sources: Container[str],
) -> tuple[Packed, dict[str, str]] | None:  # fmt: skip
    """The table, and for each of the sources what its row says of the lines on which a word stands that is `free`,
    which nobody asks a tool for: [line, "name" or "description", class]."""
    if not free:
        return None
    lines: dict[str, list[list[Any]]] = {}
    for info in analysis.classes.values():
        for key in info.written:
            place = info.attributes[key].place
            if key in free and place is not None and place.path in sources and _is_a_line(index, info, key, place):
                lines.setdefault(place.path, []).append([place.line, key, info.dotted])
    said = {path: _row_of(lines.pop(path)) for path in sorted(lines)}
    try:
        return Packed.of_parts(_Table(analysis).parts(_levels(project, choice))), said
    except (TypeError, ValueError):  # a context that JSON cannot say
        return None


def _row_of(words: list[list[Any]]) -> str:
    """What a row says of words, as JSON without the braces. Not of the lines of a module that is imported under two
    names: each is a word of two classes."""
    count = Counter(line for line, _, _ in words)
    once = [word for word in words if count[word[0]] == 1]
    return dumps({"words": once, "since": None, "said": {}}, compact=True)[1:-1]


def _asked_for(index: SourceIndex, path: str, blanks: Sequence[tuple[int, int]]) -> frozenset[str]:
    """What a source may ask tools for. Where it suppresses something, that may be about words."""
    text = index.text(path)
    if "lua:" in text:
        return frozenset(WORDS)
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
    """The analysis without all that rules of words do not ask for, as JSON. Attributes are listed once: a class refers
    to one by its number, so that what is inherited is the same thing.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._attributes: list[str] = []
        self._numbers: dict[int, int] = {}

    def parts(self, levels: Mapping[str, str]) -> Iterator[bytes]:
        """One object, piece by piece. Raises TypeError, ValueError for what JSON cannot say."""
        analysis = self._analysis
        about = {"entry": analysis.entry, "paths": sorted(analysis.modules.values()), "levels": dict(levels)}
        yield _json(about)[:-1]
        yield b',"agents":['
        yield from _listed(_json(self._agent(agent)) for agent in analysis.agents)
        yield b'],"skills":['
        yield from _listed(_json(self._skill(skill)) for skill in analysis.skills)
        yield b'],"classes":{'
        yield from _listed(_json(info.dotted) + b":" + _json(self._class(info)) for info in self._classes())
        yield b'},"attributes":['
        yield from _listed(one.encode() for one in self._attributes)  # all of them are known only now
        yield b"]}"

    def _classes(self) -> Iterator[ClassInfo]:
        """Those that have a word, and those that skills hold: of all others no rule of words asks anything."""
        held = {use.class_dotted for skill in self._analysis.skills for use in skill.tools}
        for dotted, info in self._analysis.classes.items():
            if dotted in held or any(info.attributes[key].state != "missing" for key in WORDS):
                yield info

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
            row = [one.name, one.state, value, _numbers(one.place) if one.place else None, one.owner]
            self._attributes.append(dumps(row, compact=True))
        return self._numbers[id(one)]


def _json(value: object) -> bytes:
    return dumps(value, compact=True).encode()


def _listed(items: Iterable[bytes]) -> Iterator[bytes]:
    for number, item in enumerate(items):
        yield b"," + item if number else item


def _numbers(place: Place) -> list[Any]:
    return [place.path, place.line, place.column, place.end_line, place.end_column]
