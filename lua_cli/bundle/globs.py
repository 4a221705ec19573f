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

from lua_cli.bundle.denied import denied_folder

_MAGIC = frozenset("*?[")


def files_matching(root: Path, pattern: str) -> tuple[Path, ...]:
    """The files below `root` that match. A pattern that names a folder matches nothing."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    return tuple(sorted(set(_match(root, parts, frozenset((root.resolve(),))))))


def leaves_folder(pattern: str) -> bool:
    """Whether a pattern names something outside of the folder that it is relative to, or is for Windows alone."""
    return pattern.startswith("/") or "\\" in pattern or ":" in pattern or ".." in pattern.split("/")


def _match(folder: Path, parts: list[str], above: frozenset[Path]) -> Iterator[Path]:
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _match(folder, rest or ["*"], above)
        for inner in _folders(folder, "*"):
            yield from _enter(inner, parts, above)
    elif rest:
        for inner in _folders(folder, part):
            yield from (inner,) if denied_folder(inner) else _enter(inner, rest, above)
    else:
        yield from (Path(entry.path) for entry in _entries(folder, part) if not entry.is_dir())


def _enter(folder: Path, parts: list[str], above: frozenset[Path]) -> Iterator[Path]:
    real = folder.resolve()
    if real not in above:
        yield from _match(folder, parts, above | {real})


def _folders(folder: Path, part: str) -> Iterator[Path]:
    outright = not _MAGIC & set(part)
    for entry in _entries(folder, part):
        if entry.is_dir() and (outright or not denied_folder(Path(entry.path))):
            yield Path(entry.path)


def _entries(folder: Path, part: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from sorted((entry for entry in entries if fnmatchcase(entry.name, part)), key=lambda e: e.name)
    except OSError:
        return
