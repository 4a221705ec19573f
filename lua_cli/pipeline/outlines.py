"""What of each source decided the last build, so that an edit of what decided nothing is known by itself.

In: the index after a compile, the drafts, what the probe saw run. Out: `Kept`: a row for each source that may be
edited in such a way: its outline (source/outline.py), where its bodies are, and the members of artifacts that it is.
A source without a row counted as a whole.
"""

from __future__ import annotations

import os
from itertools import chain, islice
from zlib import crc32

from lua_cli.pipeline.stamps import read_cached, replace_cached
from lua_cli.plain_json import dumps, loads

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from lua_cli.analysis.model import Analysis
    from lua_cli.bundle.model import Draft
    from lua_cli.packed import Packed
    from lua_cli.pipeline.words import Unasked
    from lua_cli.probe.model import SkillSeen
    from lua_cli.project import Project
    from lua_cli.rules import Choice
    from lua_cli.source import SourceIndex

FORMAT = "lua-outlines 3"
_LINES = 500  # that are written at once
_NOTHING: Mapping[str, str] = {}
_NAME = "outlines.txt"
_TABLE = "words.json"


class Kept:
    """Rows of sources by their path in the project, each made out of its line when it is asked for.

    about   {"oldest": the Python that sources are held to, or None; "budget": how large an artifact may be, in bytes;
            "readable": whether the project's Python is the one that runs lua-cli; "words": the checksum of the table of
            words (words.py), or None}
    row     {"outline", "kept", "blanks", "inside", "members": [[skill, member], …]}; where a word can be edited by
            itself also "words": [[line, key, class], …], "since": the blanks when the table was made, where they are
            others now, and "said": {line: [value, column, end column]} of words that are others now
    """

    def __init__(self, about: Mapping[str, Any], lines: dict[str, str], words: Mapping[str, str] = _NOTHING) -> None:
        """`lines`: the rows as JSON. `words`: what there is more to say in some of them; then it is not yet there."""
        self.about, self._lines, self._words = about, lines, words

    @classmethod
    def parsed(cls, text: str) -> Kept:
        """Raises ValueError for a text that is none."""
        about, *lines = text.split("\n")
        return cls(loads(about), dict(_parted(line) for line in lines))

    def row(self, shown: str) -> dict[str, Any] | None:
        line = self._lines.get(shown)
        return None if line is None else dict(loads(line))

    def amended(self) -> list[tuple[str, dict[str, Any]]]:
        """The rows of sources with words that have changed since the table of words was made."""
        lines = ((path, line) for path, line in self._lines.items() if '"words":' in line)
        changed = (one for one in lines if '"since":null' not in one[1] or '"said":{}' not in one[1])
        return [(path, loads(line)) for path, line in changed]

    def with_rows(self, rows: Mapping[str, Any]) -> Kept:
        return Kept(self.about, {**self._lines, **{path: dumps(row, compact=True) for path, row in rows.items()}})

    def parts(self) -> Iterator[bytes]:
        """What `parsed` takes, some lines at a time."""
        yield dumps(self.about).encode()
        words = self._words
        lines = (
            f"\n{path}\t{line[:-1]},{words[path]}}}" if path in words else f"\n{path}\t{line}"
            for path, line in self._lines.items()
        )
        while part := "".join(islice(lines, _LINES)):
            yield part.encode()


def _parted(line: str) -> tuple[str, str]:
    path, tab, row = line.partition("\t")
    if not tab:
        raise ValueError(line)
    return path, row


def outlines(
    project: Project, index: SourceIndex, drafts: Iterable[Draft], seen: Mapping[str, SkillSeen], analysis: Analysis,
    choice: Choice,
) -> tuple[Kept, Packed | None]:  # fmt: skip
    """The rows of a build that was just made, and its table of words where it has one."""
    import sys

    from lua_cli.bundle.syntax import oldest_python
    from lua_cli.pipeline.words import Unasked, words_of

    bundled = _Bundled(drafts, seen)
    unasked = Unasked(project, index, analysis, bundled.members)
    rows, full = _rows(project, index, bundled, unasked)
    unasked.look_at_rest()
    worded = words_of(project, index, analysis, choice, unasked.words, rows)
    table, words = worded if worded is not None else (None, {})
    for source in full - words.keys():
        del rows[source]
    about = {
        "oldest": oldest_python(project.settings.requires_python),
        "budget": project.settings.size_budget,
        "readable": project.interpreter.version == sys.version_info[:2],
        "words": None if table is None else _sum(table.parts()),
    }
    return Kept(about, rows, words), table


class _Bundled:
    """What artifacts are made of. By the source as it is shown: `members` of which artifacts it is, `run` the lines of
    functions that ran. `untold` are those of which that is not known, or that are data."""

    def __init__(self, drafts: Iterable[Draft], seen: Mapping[str, SkillSeen]) -> None:
        self.members: dict[str, list[list[str]]] = {}
        self.run: dict[str, set[int]] = {}
        self.untold: set[str] = set()
        for draft in drafts:
            ran = seen[draft.skill].ran if draft.skill in seen else None if draft.tools else {}
            for file in draft.files:
                self.members.setdefault(file.source, []).append([draft.skill, file.name])
                if ran is None or file.kind != "module":
                    self.untold.add(file.source)
                elif lines := ran.get(file.name):
                    self.run.setdefault(file.source, set()).update(lines)


def _rows(project: Project, index: SourceIndex, bundled: _Bundled, unasked: Unasked) -> tuple[dict[str, str], set[str]]:
    """The row of each source that does not count as a whole, and the sources that have no bodies to leave out: of these
    a word can be edited at most. Rows are texts from the beginning, which weigh a tenth."""
    rows: dict[str, str] = {}
    full: set[str] = set()
    for path in index.read:
        shown = index.shown(path)
        if shown in bundled.untold or os.path.isabs(shown) or path.suffix != ".py" or not _can_be_written(shown):
            continue
        found = index.outline(path, bundled.run.get(shown, ()))
        if found is not None:
            outline, kept = found
            row = {"outline": outline.digest, "kept": kept, "blanks": outline.blanks, "inside": outline.inside}
            rows[shown] = dumps({**row, "members": bundled.members.get(shown, [])}, compact=True)
            if not outline.blanks:
                full.add(shown)
            unasked.look_at(shown, outline.blanks)
    return rows, full


def _can_be_written(shown: str) -> bool:
    return shown.isprintable()  # no line ends, no half surrogates


class Outlines:
    """The rows of outlines.py on disk, in the cache's folder: good for one record and one document, which it knows by
    their checksums. A damaged file is none."""

    def __init__(self, cache: str) -> None:
        self._path, self._table = os.path.join(cache, _NAME), os.path.join(cache, _TABLE)

    def load(self, record: bytes, document: bytes) -> Kept | None:
        """The rows where they are for this record and this document."""
        try:
            head, line_end, rows = read_cached(self._path).partition(b"\n")
            return Kept.parsed(rows.decode()) if head + line_end == _head([rows], [record], [document]) else None
        except (OSError, ValueError, RecursionError):
            return None

    def table(self, kept: Kept) -> bytes:
        """The table of words. Raises OSError, ValueError where it is not that of these rows."""
        content = read_cached(self._table)
        if crc32(content) != kept.about["words"]:
            raise ValueError(self._table)
        return content

    def keep_table(self, table: Packed | None) -> None:
        if table is not None:
            replace_cached(self._table, table.parts())

    def keep(self, kept: Kept, record: bytes, document: Iterable[bytes]) -> None:
        """`document` may come in parts."""
        head = _head(kept.parts(), [record], document)
        replace_cached(self._path, chain([head], kept.parts()))


def _head(*contents: Iterable[bytes]) -> bytes:
    """The first line: the checksums of the rows, the record and the document."""
    return " ".join((FORMAT, *(f"{_sum(parts):08x}" for parts in contents))).encode() + b"\n"


def _sum(parts: Iterable[bytes]) -> int:
    found = 0
    for part in parts:
        found = crc32(part, found)
    return found
