"""Whether anything that decided the last build has changed: by stat alone, so that an unchanged project costs no
reading.

In: what a build depended on (files, folder listings, surroundings). Out: yes or no. Never trusted for more than that:
whatever is odd about the record — missing, damaged, of another version — means "changed", and the project is compiled
again.

A file whose times and size are those of the record is unchanged. One that was touched, or modified so shortly before
the record was written that a second change could carry the same time, is compared by content, as git does ("racy"
entries).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import lua_cli
from lua_cli.bundle.disk import discard
from lua_cli.pipeline import at_once
from lua_cli.pipeline.stamps import RACY_NS, RECORD, deciding, listing, now_on_disk, read_cached, replace_cached
from lua_cli.project import Project

_FORMAT = 8


class Known(NamedTuple):
    """A record as it lies on the disk, as data, and the files whose content has changed since."""

    content: bytes
    record: dict[str, Any]
    changed: tuple[str, ...]


class Record:
    """The record of one project, in `.lua/cache/build.json`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._path = project.output / "cache" / RECORD

    def holds(self) -> bool:
        """Everything is as it was when the record was written."""
        known = self.changed()
        return known is not None and not known.changed

    def changed(self) -> Known | None:
        """The record, and the files whose content is not as it was; None when anything else is not."""
        try:
            content = read_cached(self._path)
            record = json.loads(content)
            same = bool(
                record["surroundings"] == _surroundings(self._project)
                and all(listing(path) == names for path, names in record["listings"].items())
                and all(at_once.mark_of(name) == mark for name, mark in record["variables"].items())
                and all(_glob(self._project.root, pattern) == found for pattern, found in record["globs"].items())
                and all(_files_in(folder) == found for folder, found in record["folders"].items())
            )
            written = record["written"]
            files = record["files"].items() if same else ()
            changed = tuple(path for path, facts in files if not _same_file(path, facts, written))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return Known(content, record, changed) if same else None

    def write(
        self,
        read: Mapping[Path, str],
        listings: Mapping[Path, frozenset[str]],
        others: Iterable[Path],
        variables: Iterable[str],
        skill_folders: Iterable[Path] = (),
    ) -> bytes | None:
        """Remember what the build was made of: `read` (file → SHA-256 of what was read), `listings` (folder → names as
        they were seen), `others` (an absent file is remembered as absent), `variables` of the environment (what
        they hold) and `skill_folders`, whose every file counts.

        Gives what was written. Nothing is remembered when one of them has changed meanwhile: the record would speak for
        another state.
        """
        files = {str(path): _facts(path) for path in sorted({*read, *others})}
        if any(facts is None or facts[3] != read[path] for path in read for facts in (files[str(path)],)):
            return None
        folders = {path: deciding(names) for path, names in listings.items()}
        if any(listing(path) != names for path, names in folders.items()):
            return None
        record: dict[str, Any] = {
            "surroundings": _surroundings(self._project),
            "files": files,
            "listings": {str(path): folders[path] for path in sorted(folders)},
            "variables": {name: at_once.mark_of(name) for name in sorted(variables)},
            "globs": {pattern: _glob(self._project.root, pattern) for pattern in self._project.settings.include},
            "folders": {str(folder): _files_in(str(folder)) for folder in skill_folders},
        }
        record["written"] = now_on_disk(self._path.parent)
        content = json.dumps(record, separators=(",", ":")).encode()
        replace_cached(self._path, content)
        return content

    def forget(self) -> None:
        """Drop the record before a build is replaced, so that it never speaks for another one."""
        if self._path.is_dir() and not self._path.is_symlink():
            discard(self._path)
        else:
            self._path.unlink(missing_ok=True)


def _surroundings(project: Project) -> dict[str, Any]:
    """What beside files decides a build: this program, the interpreter and its packages, the search path."""
    interpreter = project.interpreter
    return {
        "format": _FORMAT,
        "cli": lua_cli.__version__,
        "program": at_once.program(),
        "python": sys.version,
        "interpreter": [str(interpreter.executable), list(interpreter.version), interpreter.why],
        "packages": [[str(folder), _mtime(folder)] for folder in interpreter.packages],
        "flows": str(project.flows),
        "entry": str(project.entry),  # one that comes goes before the one, or the flows, that there were
        "roots": [str(project.root), *map(str, project.import_roots)],
        "path": os.environ.get("PYTHONPATH", ""),
    }


def _facts(path: Path) -> list[Any] | None:
    """Modification and change time, size, content of a file, and where it leads when it is a link; None without one."""
    try:
        stat = path.stat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, digest, *_link(path)]
    except OSError:
        return None


def _link(path: str | Path) -> list[str]:
    return [os.path.realpath(path)] if os.path.islink(path) else []  # noqa: PTH114


def _same_file(path: str, facts: list[Any] | None, written: int) -> bool:
    try:
        stat = os.stat(path)  # noqa: PTH116  # thousands of these: a Path object for each would double the time
    except OSError:
        return facts is None
    if facts is None or stat.st_size != facts[2]:
        return False
    if [stat.st_mtime_ns, stat.st_ctime_ns] == facts[:2] and max(facts[:2]) < written - RACY_NS:
        return True
    if not os.path.isfile(path) or _link(path) != facts[4:]:  # noqa: PTH113  # a pipe would be waited for
        return False
    return bool(hashlib.sha256(Path(path).read_bytes()).hexdigest() == facts[3])


def _glob(root: Path, pattern: str) -> list[str]:
    from lua_cli.bundle.globs import files_matching

    return [path.relative_to(root).as_posix() for path in files_matching(root, pattern)]


def _files_in(folder: str) -> list[str]:
    from lua_cli.bundle.skill_folders import files_in

    return [str(path) for path in files_in(Path(folder))]


def _mtime(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return -1
