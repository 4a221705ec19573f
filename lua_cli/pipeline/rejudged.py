"""What a build says after an edit of words: of what tools are called and what is said of them.

In: the table of words (words.py), the rows of the sources, the words that changed, the last document. Out: the parts of
the document and of the manifests that have words in them, and the diagnostics of the rules that judge words. Raises
MovedError where that is not all: another diagnostic says an old word or stands at it, or there is an error. Reads the
sources in whose texts a rule looks for a tool's name; runs nothing of the user's.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.analysis.model import AgentInfo, Analysis, Attribute, ClassInfo, SkillInfo, ToolUse
from lua_cli.bundle.disk import read_whole
from lua_cli.diagnostics import Place
from lua_cli.pipeline.moving import Moved, MovedError, ordered, spans_of, texts_of
from lua_cli.plain_json import loads
from lua_cli.report.json_document import diagnostic_record, tool_names
from lua_cli.rules.judging.context import Context
from lua_cli.rules.judging.worded import CODES, judge_words
from lua_cli.source.decoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lua_cli.bundle.document import Document
    from lua_cli.pipeline.edited_words import Word
    from lua_cli.pipeline.outlines import Kept


class Reworded:
    """A project with other words.

    classes   the classes that are called something else now, or of which something else is said
    """

    def __init__(self, root: str, table: bytes, kept: Kept, words: Mapping[str, Sequence[Word]]) -> None:
        self._root, self._words = root, [word for found in words.values() for word in found]
        self._lines = {(path, word.line) for path, found in words.items() for word in found}
        self._table = _loaded(table)
        amended = kept.amended()
        self._moves = {path: Moved((row["since"], row["blanks"]), ([], [])) for path, row in amended if row["since"]}
        self._attributes: list[Attribute] = list(map(self._attribute, self._table["attributes"]))
        numbers: dict[tuple[str, str], list[int]] = {}
        for number, one in enumerate(self._attributes):
            numbers.setdefault((one.owner or "", one.name), []).append(number)
        for path, row in amended:
            for line, key, cls in row["words"]:
                if str(line) in row["said"]:
                    self._say(numbers[cls, key], Place(path, line, 0, line, 0), row["said"][str(line)])
        new = {number for word in self._words for number in numbers[word.cls, word.key]}
        self.classes = {dotted for dotted, one in self._table["classes"].items() if not new.isdisjoint(one[4].values())}
        self._analysis = self._analysed()

    def parts(self, document: Document, parts: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of the document that change; `parts` are those that have changed already."""

        def part(name: str) -> Any:
            return parts[name] if name in parts else document[name]

        return {
            "tools": [self._tool(one) for one in part("tools")],
            "classes": [
                {**one, "name": self._analysis.classes[one["class"]].name} if one["class"] in self.classes else one
                for one in part("classes")
            ],
            "skills": [
                {**one, "tools": tool_names(skill, self._analysis)} if self._holds(skill) else one
                for one, skill in zip(part("skills"), self._registered(), strict=True)
            ],
            "diagnostics": self._diagnostics(part("diagnostics")),
        }

    def skills(self) -> set[str | None]:
        """The registered skills that hold a tool with other words."""
        return {skill.name for skill in self._registered() if self._holds(skill)}

    def manifest_tools(self, tools: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The tools of a manifest."""
        new = map(self._analysis.classes.__getitem__, self.classes)
        known = {(info.module, info.qualname): info for info in new}

        def told(one: Mapping[str, Any]) -> Mapping[str, Any]:
            info = known.get((one["module"], one["qualname"]))
            return one if info is None else {**one, "name": info.name, "description": _description(info) or ""}

        return list(map(told, tools))

    def _tool(self, one: Mapping[str, Any]) -> Mapping[str, Any]:
        """A tool of the document."""
        if one["class"] not in self.classes:
            return one
        info = self._analysis.classes[one["class"]]
        return {**one, "name": info.name, "description": _description(info)}

    # The analysis

    def _say(self, numbers: Iterable[int], line: Place, said: Sequence[Any]) -> None:
        """Give an attribute another value. `line` is where it stood when the table was made."""
        value, column, end_column = said
        for number in numbers:
            one = self._attributes[number]
            place = self._place([line.path, line.line, column, line.line, end_column])
            if (
                one.place is None
                or one.state != "known"
                or (one.place.path, one.place.line) != (place.path, place.line)
            ):
                raise ValueError(line)
            self._attributes[number] = Attribute(one.name, "known", value, place, one.owner)

    def _analysed(self) -> Analysis:
        table = self._table
        agents = tuple(map(self._agent, table["agents"]))
        skills = tuple(map(self._skill, table["skills"]))
        classes = {dotted: self._class(dotted, one) for dotted, one in table["classes"].items()}
        return Analysis(table["entry"], agents, skills, classes, (), {path: path for path in table["paths"]})

    def _agent(self, one: Mapping[str, Any]) -> AgentInfo:
        place = self._place(one["place"])
        return AgentInfo(place, place, "", None, self._named(one["attributes"]), tuple(one["skills"]))

    def _skill(self, one: Mapping[str, Any]) -> SkillInfo:
        tools = tuple(map(self._use, one["tools"]))
        return SkillInfo(_NOWHERE, _NOWHERE, "", one["registered"], self._named(one["attributes"]), tools)

    def _class(self, dotted: str, one: Sequence[Any]) -> ClassInfo:
        module, qualname, is_tool, numbers, attributes = one
        place = self._place(numbers)
        named = self._named(attributes)
        return ClassInfo(dotted, module, qualname, place, place, is_tool, None, None, attributes=named)

    def _use(self, one: Sequence[Any]) -> ToolUse:
        form, dotted, maybe, numbers = one
        return ToolUse(form, self._place(numbers), "", dotted, maybe=maybe)

    def _named(self, numbers: Mapping[str, int]) -> dict[str, Attribute]:
        return {name: self._attributes[number] for name, number in numbers.items()}

    def _attribute(self, one: Sequence[Any]) -> Attribute:
        name, state, value, numbers, owner = one
        return Attribute(name, state, value, self._place(numbers) if numbers else None, owner)

    def _place(self, numbers: Sequence[Any]) -> Place:
        path, line, column, end_line, end_column = numbers
        moved = self._moves.get(path)
        if moved is not None:
            line, column, end_line, end_column = moved.place((line, column, end_line, end_column))
        return Place(path, line, column, end_line, end_column)

    # What is said

    def _registered(self) -> list[SkillInfo]:
        return [skill for skill in self._analysis.skills if skill.registered]

    def _holds(self, skill: SkillInfo) -> bool:
        return any(use.class_dotted in self.classes for use in skill.tools)

    def _diagnostics(self, before: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        left = [one for one in before if one["code"] not in CODES]
        old = {word.old for word in self._words}
        if any(word in text for one in left for text in texts_of(one) for word in old):
            raise MovedError
        if any((span["path"], line) in self._lines for one in left for span in spans_of(one) for line in _lines(span)):
            raise MovedError
        project: Any = _Root(Path(self._root))
        sources: Any = _Sources(self._root)
        said = []
        for one in judge_words(Context(self._analysis, project, sources)):
            level = one.severity if one.severity == "error" else self._table["levels"].get(one.code, "warning")
            if level == "error":
                raise MovedError
            if level == "warning":
                said.append(diagnostic_record(one))
        return ordered([*left, *said])


@lru_cache(maxsize=1)
def _loaded(table: bytes) -> Mapping[str, Any]:
    """A table of words, which nobody writes to: under `--watch` it is the same from save to save."""
    loaded: Mapping[str, Any] = loads(table)
    return loaded


_NOWHERE = Place("", 0, 0, 0, 0)


def _description(info: ClassInfo) -> str | None:
    return info.attributes["description"].text


def _lines(span: Mapping[str, Any]) -> range:
    return range(span["line"], span["endLine"] + 1)


class _Root:
    """What rules of words ask of a project."""

    def __init__(self, root: Path) -> None:
        self.root = root


class _Sources:
    """What they ask of an index."""

    def __init__(self, root: str) -> None:
        self._root, self.whole = root, set[Path]()

    def text(self, path: str) -> str:
        return decode(read_whole(os.path.join(self._root, path)))
