"""Which fixes go together, and what the files look like then. In: diagnostics, files. Out: a `FixPlan`. Writes nothing.

Fixes that overlap wait for the next round: the caller compiles again and plans again, until there is nothing left to
do.
"""

from __future__ import annotations

import ast
import difflib
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from lua_cli.diagnostics import Diagnostic, Edit, Place
from lua_cli.project import Project
from lua_cli.records import field, record

_LINE_END = re.compile(r"\r\n|\r|\n")


@record(frozen=True)
class FileChange:
    """One file, before and after; `encoding` is the one that both are in."""

    path: str
    before: bytes
    after: bytes
    encoding: str


@record(frozen=True)
class FixPlan:
    """changes: by path · applied: what is fixed by them · left: (diagnostic, why its fix was not taken)."""

    changes: tuple[FileChange, ...] = ()
    applied: tuple[Diagnostic, ...] = ()
    left: tuple[tuple[Diagnostic, str], ...] = ()


@record
class _File:
    """A file as it is now: its text with the line ends that it has, and where each line starts."""

    path: str
    data: bytes
    text: str
    encoding: str
    starts: list[int]
    newline: str
    taken: dict[tuple[int, int], str] = field(default_factory=dict)

    def span(self, place: Place) -> tuple[int, int]:
        """The offsets of a place. A line after the last one is the end of the text."""
        start, end = (
            self.starts[line - 1] + column - 1 if line <= len(self.starts) else len(self.text)
            for line, column in ((place.line, place.column), (place.end_line, place.end_column))
        )
        return start, min(end, len(self.text))

    def after(self, edits: dict[tuple[int, int], str]) -> str:
        text = self.text
        for (start, end), new in sorted(edits.items(), reverse=True):
            text = text[:start] + new.replace("\n", self.newline) + text[end:]
        return text


def plan_fixes(diagnostics: Iterable[Diagnostic], project: Project) -> FixPlan:
    """Takes the fixes in the order of their diagnostics, each whole or not at all."""
    files: dict[str, _File | str] = {}
    applied, left = [], []
    for diagnostic in diagnostics:
        if diagnostic.fix is None:
            continue
        for path in {edit.place.path for edit in diagnostic.fix.edits} - files.keys():
            files[path] = _read(project.root, path)
        refusal = _take(diagnostic.fix.edits, files)
        if refusal is None:
            applied.append(diagnostic)
        else:
            left.append((diagnostic, refusal))
    changes = [_change(file) for file in files.values() if isinstance(file, _File) and file.taken]
    return FixPlan(tuple(sorted(changes, key=lambda change: change.path)), tuple(applied), tuple(left))


def diff_of(plan: FixPlan) -> str:
    """The plan as a unified diff, as `git apply` reads it."""
    return "".join(line for change in plan.changes for line in _diff_lines(change))


def _diff_lines(change: FileChange) -> Iterator[str]:
    before, after = (data.decode(change.encoding).splitlines(keepends=True) for data in (change.before, change.after))
    for line in difflib.unified_diff(before, after, f"a/{change.path}", f"b/{change.path}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _read(root: Path, path: str) -> _File | str:
    """The file, or why it is left alone."""
    if Path(path).is_absolute():
        return "the file is not the project's"
    try:
        data = (root / path).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        return f"the file cannot be read: {error}"
    if not _parses(data, path):
        return f"the file is not valid {_language(path)}"
    if text.encode(encoding) != data:
        return f"the file cannot be written in {encoding} as it was"
    ends = list(_LINE_END.finditer(text))
    newline = max(("\n", "\r\n", "\r"), key=[match[0] for match in ends].count)
    return _File(path, data, text, encoding, [0, *(match.end() for match in ends)], newline)


def _take(edits: Iterable[Edit], files: dict[str, _File | str]) -> str | None:
    """Adds a fix's edits to its files, when all of them fit; else gives the reason."""
    wanted: list[tuple[_File, dict[tuple[int, int], str]]] = []
    for path, group in _by_path(edits).items():
        file = files[path]
        if isinstance(file, str):
            return file
        new = {file.span(edit.place): edit.text for edit in group}
        for span, text in new.items():
            if any(_clash(span, other) and file.taken.get(span) != text for other in file.taken):
                return "another fix changes the same place: run it again"
        merged = file.taken | new
        if not _still_valid(file, merged):
            return f"the result would not be valid {_language(path)}"
        wanted.append((file, merged))
    for file, merged in wanted:
        file.taken = merged
    return None


def _by_path(edits: Iterable[Edit]) -> dict[str, list[Edit]]:
    groups: dict[str, list[Edit]] = {}
    for edit in edits:
        groups.setdefault(edit.place.path, []).append(edit)
    return groups


def _clash(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans overlap; two insertions at one point do, an insertion at the end of a replacement does not."""
    return span == other or (span[0] < other[1] and other[0] < span[1])


def _still_valid(file: _File, edits: dict[tuple[int, int], str]) -> bool:
    """The file parses, and can be written in its encoding, with the edits; a guard against a wrong fix."""
    try:
        return _parses(file.after(edits).encode(file.encoding), file.path)
    except UnicodeEncodeError:
        return False


def _language(path: str) -> str:
    return "YAML" if path.endswith((".yaml", ".yml")) else "Python"


def _parses(data: bytes, path: str) -> bool:
    if _language(path) == "YAML":
        from lua_cli.source.yaml_text import YamlError, parse_yaml

        try:
            parse_yaml(data.decode("utf-8-sig"))
        except (YamlError, UnicodeDecodeError):
            return False
        return True
    try:
        ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _change(file: _File) -> FileChange:
    return FileChange(file.path, file.data, file.after(file.taken).encode(file.encoding), file.encoding)
