"""Keeps what a command said of a project, so that it can be said again at once (`at_once.py`).

In: an open project whose record holds, a name, the text. Out: files in `.lua/cache/answers/`, or nothing: an answer
that cannot be vouched for by stat alone is not written, nor is one that the disk refuses. Reads no sources.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lua_cli.errors import LuaError
from lua_cli.packed import Packed
from lua_cli.pipeline import at_once
from lua_cli.pipeline.stamps import RACY_NS, RECORD, assured, forget_kept, is_young, now_on_disk, write_kept
from lua_cli.pipeline.unchanged import Record
from lua_cli.project import Project, open_project
from lua_cli.project.locate import ENTRY_FILES, FLOWS_FOLDER


def keep_answer(project: Project, name: str, said: str | Packed, document: Mapping[str, Any]) -> None:
    """Remember that a command says `said` of this project, whose compile gave `document`. The record of the last build
    must hold."""
    with suppress(OSError, UnicodeError):  # an answer that cannot be kept costs the longer way, nothing else
        token = _token(project, document)
        if token is not None:
            write_kept(str(project.root), name, f"{token}\n", said)


def stamps_of(folder: Path, *more: Path) -> list[str] | None:
    """What a folder that this program alone writes is recognised by, bytecode aside, and more files; None when they are
    too young for that, or have names that cannot be written down."""
    lines = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        lines.append(f"folder {at_once.stamp_of(place, whole=False)} {place}")
        files = (os.path.join(place, name) for name in names)  # noqa: PTH118
        lines += [f"file {at_once.stamp_of(path, whole=True)} {path}" for path in files]
    lines += [f"file {at_once.stamp_of(str(path), whole=True)} {path}" for path in more]
    return None if _is_unfit(lines, folder.parent) else lines


def file_stamps(beside: Path, *files: Path) -> list[str] | None:
    """What files are recognised by, there or not; None as `stamps_of`. `beside` is a folder on the same disk."""
    lines = [f"file {at_once.stamp_of(str(path), whole=True)} {path}" for path in files]
    return None if _is_unfit(lines, beside) else lines


def _token(project: Project, document: Mapping[str, Any]) -> str | None:
    """What the present state of the project goes by; None when it cannot be recognised."""
    if not _is_plain(project):
        return None
    known = at_once.known(str(project.root))
    if known is not None:
        return known.token
    try:
        before = at_once.surroundings(str(project.root))
        cache = project.output / "cache"
        lines = list(_lines(project, json.loads((cache / RECORD).read_bytes())))
        sure = assured(lines, str(cache), RACY_NS)
        if sure is None or not _is_same(project):
            return None
    except (ValueError, KeyError, TypeError, AttributeError, LuaError):
        return None
    stale = any(one["code"] == "lua/lock-stale" for one in document["diagnostics"])
    token = os.urandom(16).hex()
    forget_kept(str(project.root))
    flags = f"{int(bool(document['diagnostics']))}{int(stale)}"
    write_kept(str(project.root), at_once.STAMPS, "\n".join((before, flags, token, *sure)))
    return token


def _is_plain(project: Project) -> bool:
    """Whether where the project is and where its import roots lead needs no look-up each time."""
    named = [project.root / name for name in project.settings.import_roots or ()]
    straight = all(folder.resolve() == folder.absolute() for folder in named)
    return (project.root / "pyproject.toml").is_file() and straight


def _lines(project: Project, record: dict[str, Any]) -> Iterator[str]:
    """All that an unchanged project is recognised by."""
    output = project.output / "artifacts"
    yield f"link {output.readlink()} {output}"
    folders, files = _globbed(project, record)
    for path in (*record["files"], *map(str, (*_surrounding_files(project), *files))):
        yield f"file {at_once.stamp_of(path, whole=True)} {path}"
    for folder in (*record["listings"], *map(str, (*_surrounding_folders(project), *folders))):
        yield f"folder {at_once.stamp_of(folder, whole=False)} {folder}"
    for name, mark in record["variables"].items():
        yield f"variable {mark} {name}"


def _globbed(project: Project, record: dict[str, Any]) -> tuple[list[Path], list[Path]]:
    """Folders and files that decide what the `include` globs find, and which files a skill's folder has."""
    if not project.settings.include and not record["folders"]:
        return [], []
    from lua_cli.bundle.globs import Looked, files_matching

    looked = Looked()
    for pattern in project.settings.include:
        files_matching(project.root, pattern, looked)
    for folder in record["folders"]:
        files_matching(Path(folder), "**", looked)
    return sorted(looked.folders), sorted(looked.files)


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


def _is_unfit(lines: Sequence[str], beside: Path) -> bool:
    """Whether something cannot be written down, or is too young to be recognised by its times."""
    since = now_on_disk(beside) - RACY_NS
    return any("\n" in line or is_young(line, since) for line in lines)


def _is_same(project: Project) -> bool:
    """Whether, after all stamps are taken, the record still holds for a project that is opened anew."""
    again = open_project(project.root, explicit=True)
    return again == project and Record(again).holds()
