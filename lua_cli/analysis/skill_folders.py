"""`LuaSkill.from_folder("skills/pdf")`: what the SKILL.md of the folder says.

In: the call's arguments. Out: the arguments that the SDK gives to the constructor in turn, with places in SKILL.md;
findings about what is wrong with the folder. Reads SKILL.md and nothing else; an error is what leaves no skill to
bundle, a warning what other programs may not take.
"""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.analysis.values import (
    CallSite,
    ClassValue,
    Constant,
    FunctionValue,
    Given,
    SkillValue,
    Unknown,
    Value,
    Where,
    described,
)
from lua_cli.diagnostics import Place
from lua_cli.sdk.skill_file import Field, SkillFile, read_skill_file
from lua_cli.source import SourceError

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_ERROR, _WARNING = "lua/skill-folder", "lua/skill-folder-format"
_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_LONGEST = {"name": 64, "description": 1024, "compatibility": 500}
_BRIEF = re.compile(r"\s*(?:- )?[\w-]+:\s+[\[{&*!]")
_HEAD = "begin SKILL.md with `---`, `name: …`, `description: …` and `---`, each on a line of its own"


class SkillFolders:
    """Makes skills of folders."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def make(self, cls: ClassValue, function: FunctionValue, given: Sequence[Given], site: CallSite) -> Value:
        """The skill that the call makes."""
        machine = self._machine
        arguments = {arg.keyword: arg for arg in given if arg.keyword is not None}
        positional = [arg for arg in given if arg.keyword is None and not arg.star]
        folder = positional[0] if positional else arguments.pop("folder", None)
        known = [param.name for param in machine.params(function)[1:]]
        unknown = next((name for name in arguments if name not in known), None)
        if folder is None or len(positional) > 1 or any(arg.star for arg in given):
            machine.fail("TypeError", "from_folder takes the folder, and the rest by name")
            words = "from_folder takes one folder, and what else there is by name"
            self._say(_ERROR, self._place(site.where), words, 'write `LuaSkill.from_folder("skills/pdf")`')
            folder = None
        elif unknown is not None:
            machine.registrar.unknown_argument(f"{cls.name}.from_folder", unknown, known, arguments[unknown].where)
        told = [] if folder is None else self._told(folder, site)
        module = next(m for m in machine.importer.modules.values() if m.location.path == site.where.path)
        made = machine.registrar.construct(cls, [*told, *arguments.values()], site, module.frame)
        if isinstance(made, SkillValue):
            made.folder = folder or Given(Constant(None), site.where)
            made.unknown = made.unknown or (None if told else Unknown("its folder cannot be used"))
        return made or Constant(None)

    def _told(self, folder: Given, site: CallSite) -> list[Given]:
        """What the folder gives to the constructor; nothing when it cannot be used."""
        value = self._machine.settled(folder.value)
        if not isinstance(value, Constant) or not isinstance(value.value, str):
            why = value.reason if isinstance(value, Unknown) else f"it is {described(value)}"
            words = f"cannot tell which folder it is: {why}"
            self._say(_ERROR, self._place(folder.where), words, "write the folder as a text, relative to this file")
            return []
        file = self._file(value.value, folder, site)
        if file is None:
            return []
        try:
            text = self._machine.index.text(file)
        except SourceError as error:
            self._say(_ERROR, error.place, error.reason, "save SKILL.md as UTF-8")
            return []
        return self._given(read_skill_file(text), file, f"{value.value.rstrip('/')}/{file.name}", folder)

    def _file(self, text: str, folder: Given, site: CallSite) -> Path | None:
        """The SKILL.md; None when there is none."""
        project, place = self._machine.project, self._place(folder.where)
        path = Path(os.path.normpath(site.where.path.parent / text))
        if Path(text).is_absolute() or "\\" in text or not path.is_relative_to(project.root):
            words = f"the folder `{text}` lies outside of the project" if "\\" not in text else "a path has `/` in it"
            self._say(_ERROR, place, words, "name a folder of the project, relative to this file, with `/`")
            return None
        if path == project.root:
            self._say(_ERROR, place, "the project itself is no skill", "give the skill a folder of its own")
            return None
        names = _names(path)
        found = next((name for name in ("SKILL.md", "skill.md") if names is not None and name in names), None)
        if found is not None:
            return path / found
        if names is None:
            beside = _names(path.parent) or []
            near = difflib.get_close_matches(path.name, beside, n=1)
            hint = f"did you mean `{near[0]}`?" if near else "the folder is relative to the file that names it"
            self._say(_ERROR, place, f"there is no folder {project.relative(path)}", hint)
        else:
            self._say(_ERROR, place, f"there is no SKILL.md in {project.relative(path)}", _HEAD)
        return None

    def _given(self, read: SkillFile, file: Path, instructions: str, folder: Given) -> list[Given]:
        shown = self._machine.project.relative(file)
        top = Place(shown, 1, 1, 1, 2)
        if read.head is None:
            self._say(_ERROR, top, "it does not begin with the skill's name and description", _HEAD)
            return []
        name, description = read.fields.get("name"), read.fields.get("description")
        if description is None or not description.value:
            place = top if description is None else _place(shown, description)
            self._say(_ERROR, place, "it has no description, by which a model decides", "add `description: …` on top")
            return []
        for place, words, hint in doubts(read, file.parent.name, shown):
            self._say(_WARNING, place, words, hint)
        where = {field: self._where(file, field) for field in (name, description) if field is not None}
        own = name is not None and name.value
        told = Given(Constant(name.value), where[name], "name") if name and own else None
        return [
            told or Given(Constant(file.parent.name), folder.where, "name"),
            Given(Constant(description.value), where[description], "description"),
            Given(Constant(instructions), folder.where, "instructions"),
        ]

    def _where(self, file: Path, field: Field) -> Where:
        lines = self._machine.index.lines(file)
        start, end = lines[field.line - 1][: field.column - 1], lines[field.end_line - 1][: field.end_column - 1]
        return Where(file, (field.line, len(start.encode()), field.end_line, len(end.encode())))

    def _place(self, where: Where) -> Place:
        return self._machine.index.place(where.path, where.span)

    def _say(self, code: str, place: Place, message: str, hint: str) -> None:
        self._machine.find_at(code, place, message=message, help=hint)


def _names(folder: Path) -> list[str] | None:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return None


def doubts(read: SkillFile, folder: str, shown: str) -> Iterator[tuple[Place, str, str]]:
    """What other programs may refuse: the place, the words, a hint. Nothing for what the format allows."""
    name = read.fields.get("name")
    if name is None or not name.value:
        hint = f"add `name: {folder}` on top"
        yield Place(shown, 1, 1, 1, 4), f"it has no name; the folder's name `{folder}` is taken", hint
    else:
        fault = _name_fault(name.value, folder)
        if fault:
            yield _place(shown, name), fault, "lower-case letters, digits and single hyphens, as the folder is named"
    for key, most in _LONGEST.items():
        field = read.fields.get(key)
        if field is not None and len(field.value) > most:
            words = f"the {key} has {len(field.value)} characters, and the format allows {most}"
            yield _place(shown, field), words, "say less here, and the rest in the text below"
    for key, field in read.fields.items():
        if key not in _FIELDS:
            near = difflib.get_close_matches(key, _FIELDS, n=1)
            hint = f"did you mean `{near[0]}`?" if near else "put what is your own below `metadata:`"
            yield _place(shown, field), f"the format has no field `{key}`", hint
    for key, line in read.twice:
        yield Place(shown, line, 1, line, len(key) + 1), f"`{key}` is there twice; the first counts", "leave one"
    yield from _as_yaml(read, shown)


def _name_fault(name: str, folder: str) -> str:
    plain = unicodedata.normalize("NFKC", name)
    if plain != plain.lower() or not all(letter.isalnum() or letter == "-" for letter in plain):
        return f"the name `{name}` is none of the format"
    if plain.startswith("-") or plain.endswith("-") or "--" in plain:
        return f"the name `{name}` has a hyphen in the wrong place"
    if plain != unicodedata.normalize("NFKC", folder):
        return f"the name `{name}` is not that of its folder, `{folder}`"
    return ""


def _as_yaml(read: SkillFile, shown: str) -> Iterator[tuple[Place, str, str]]:
    """Where strict readers of YAML stop, or read something else."""
    from lua_cli.source.yaml_text import YamlError, parse_yaml

    lines = (read.head or "").split("\n")
    for whole in read.fields.values():
        for line in range(whole.line, whole.end_line + 1):
            if "---" in lines[line - 2]:
                at = lines[line - 2].index("---") + 1
                yield Place(shown, line, at, line, at + 3), "strict programs end the head at this `---`", "write `–`"
            found = _BRIEF.match(lines[line - 2])
            if found is not None:
                column = found.end()
                place = Place(shown, line, column, line, column + 1)
                yield place, f"strict programs take no `{lines[line - 2][column - 1]}` here", "write one line for each"
    quote = "put the value into quotes"
    try:
        root = parse_yaml(read.head or "")
    except YamlError as error:
        line = error.line + 1
        words = f"strict programs cannot read this: {error.message}"
        yield Place(shown, line, error.column, line, error.column + 1), words, quote
        return
    for key, node in root.items() if root is not None else ():
        field = read.fields.get(key)
        if key not in ("name", "description") or field is None:
            continue
        if isinstance(node.value, str) and node.value.strip() != field.value:
            yield _place(shown, field), f"strict programs read the {key} as {node.value.strip()!r}", quote
        elif isinstance(node.value, dict | tuple):
            yield _place(shown, field), f"the {key} is no text", quote


def _place(shown: str, field: Field) -> Place:
    return Place(shown, field.line, field.column, field.end_line, max(field.end_column, field.column + 1))
