"""Keeps what `lua compile` said, so that it can be said again at once (`at_once.py`).

In: an open project whose record holds, the text that was printed. Out: `.lua/cache/answer.txt`, or nothing: an answer
that cannot be vouched for by stat alone is not written, nor is one that the disk refuses. Reads no sources.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from lua_cli.errors import LuaError
from lua_cli.pipeline import at_once
from lua_cli.pipeline.unchanged import RACY_NS, Record, replace_cached
from lua_cli.project import Project, open_project
from lua_cli.project.locate import ENTRY_FILES, FLOWS_FOLDER


def keep_answer(project: Project, said: str, document: Any, *, colour: bool) -> None:
    """Remember that a compile of this project says `said`. The record of the last build must hold."""
    path = project.root.joinpath(*at_once.PLACE)
    if not _is_plain(project):
        return
    try:
        before = at_once.surroundings(str(project.root))
        lines = list(_lines(project, json.loads((path.parent / "build.json").read_bytes())))
        if any("\n" in line for line in lines) or _is_racy(lines, path) or not _is_same(project):
            return
    except (OSError, ValueError, KeyError, TypeError, AttributeError, LuaError):
        return
    stale = any(one["code"] == "lua/lock-stale" for one in document["diagnostics"])
    flags = f"{int(bool(document['diagnostics']))}{int(stale)}{int(colour)}"
    body = "\n".join((before, flags, str(len(lines)), *lines, said))
    with suppress(OSError, UnicodeError):  # an answer that cannot be kept costs the longer way, nothing else
        replace_cached(path, f"{at_once.FORMAT} {at_once.checksum(body)}\n{body}".encode())


def _is_plain(project: Project) -> bool:
    """Whether where the project is, what its globs find and where its import roots lead needs no look-up each time."""
    named = [project.root / name for name in project.settings.import_roots or ()]
    straight = all(folder.resolve() == folder.absolute() for folder in named)
    return (project.root / "pyproject.toml").is_file() and not project.settings.include and straight


def _lines(project: Project, record: dict[str, Any]) -> Iterator[str]:
    """All that an unchanged project is recognised by."""
    output = project.output / "artifacts"
    yield f"link {output.readlink()} {output}"
    for path in (*record["files"], *map(str, _surrounding_files(project))):
        yield f"file {at_once.stamp_of(path, whole=True)} {path}"
    for folder in (*record["listings"], *map(str, _surrounding_folders(project))):
        yield f"folder {at_once.stamp_of(folder, whole=False)} {folder}"
    for name, was in record["variables"].items():
        yield f"variable {int(was)} {name}"


def _surrounding_files(project: Project) -> Iterator[Path]:
    """Files that say which project, entry and interpreter it is; most of them are not there."""
    yield from (project.root / name for name in ENTRY_FILES)
    yield (project.output / "artifacts").resolve() / "manifest.json"
    for environment in {project.root / ".venv", Path(os.environ.get("VIRTUAL_ENV") or project.root / ".venv")}:
        yield from (environment / name for name in ("bin/python", "Scripts/python.exe", "pyvenv.cfg"))
    yield project.interpreter.executable
    yield project.interpreter.executable.parent.parent / "pyvenv.cfg"
    for folder in project.interpreter.packages:
        yield from sorted(folder.glob("*.pth"))


def _surrounding_folders(project: Project) -> Iterator[Path]:
    yield from project.interpreter.packages
    yield project.flows or project.root / FLOWS_FOLDER


def _is_racy(lines: list[str], beside: Path) -> bool:
    """Whether something is so young that a second change could carry the same time. What this program writes once and
    never again is not: its builds."""
    with tempfile.NamedTemporaryFile(dir=beside.parent) as file:
        now = os.fstat(file.fileno()).st_mtime_ns
    builds = os.sep + os.path.join(".lua", "builds") + os.sep  # noqa: PTH118
    for line in lines:
        kind, stamp, path = line.split(" ", 2)
        if kind in ("file", "folder") and stamp != "-" and builds not in path:
            modified, changed = stamp.split(",")[:2]
            if max(int(modified), int(changed)) >= now - RACY_NS:
                return True
    return False


def _is_same(project: Project) -> bool:
    """Whether, after all stamps are taken, the record still holds for a project that is opened anew."""
    again = open_project(project.root, explicit=True)
    return again == project and Record(again).holds()
