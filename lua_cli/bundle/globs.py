"""Which files the `include` globs of [tool.lua] name.

In: a folder and a pattern: `/` between parts, `*`, `?` and `[…]` within one, `**` for any number of folders. Out:
files, sorted. Links to folders are followed, each real folder once on the way down. Folders that nothing is bundled
from are not walked into; one that a pattern names outright is a match itself, so that it can be refused in one word.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from lua_cli.records import field, record
from lua_cli.source.denied import denied_folder

_MAGIC = frozenset("*?[")


@record(frozen=True)
class Looked:
    """What decides a search: while the names in these folders, and what these files and links are, stay the same, so
    does what it finds."""

    folders: set[Path] = field(default_factory=set)
    files: set[Path] = field(default_factory=set)


def files_matching(root: Path, pattern: str, looked: Looked | None = None) -> tuple[Path, ...]:
    """The files below `root` that match. A pattern that names a folder matches nothing. `looked` is filled."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    search = _Search(Looked() if looked is None else looked)
    return tuple(sorted(set(search.match(root, parts, frozenset((root.resolve(),))))))


def leaves_folder(pattern: str) -> bool:
    """Whether a pattern names something outside of the folder that it is relative to, or is for Windows alone."""
    return pattern.startswith("/") or "\\" in pattern or ":" in pattern or ".." in pattern.split("/")


class _Search:
    def __init__(self, looked: Looked) -> None:
        self._looked = looked

    def match(self, folder: Path, parts: list[str], above: frozenset[Path]) -> Iterator[Path]:
        part, rest = parts[0], parts[1:]
        if part == "**":
            yield from self.match(folder, rest or ["*"], above)
            for inner in self._folders(folder, "*"):
                yield from self._enter(inner, parts, above)
        elif rest:
            for inner in self._folders(folder, part):
                yield from (inner,) if self._denied(inner) else self._enter(inner, rest, above)
        else:
            yield from (Path(entry.path) for entry in self._entries(folder, part) if not entry.is_dir())

    def _enter(self, folder: Path, parts: list[str], above: frozenset[Path]) -> Iterator[Path]:
        real = folder.resolve()
        if real not in above:
            yield from self.match(folder, parts, above | {real})

    def _folders(self, folder: Path, part: str) -> Iterator[Path]:
        outright = not _MAGIC & set(part)
        for entry in self._entries(folder, part):
            if entry.is_dir() and (outright or not self._denied(Path(entry.path))):
                yield Path(entry.path)

    def _denied(self, folder: Path) -> str | None:
        self._looked.files.add(folder / "pyvenv.cfg")
        return denied_folder(folder)

    def _entries(self, folder: Path, part: str) -> Iterator[os.DirEntry[str]]:
        self._looked.folders.add(folder)
        try:
            with os.scandir(folder) as entries:
                found = sorted((entry for entry in entries if fnmatchcase(entry.name, part)), key=lambda e: e.name)
        except OSError:
            return
        self._looked.files.update(Path(entry.path) for entry in found if entry.is_symlink())
        yield from found
