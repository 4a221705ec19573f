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
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import lua_cli
from lua_cli.pipeline import at_once
from lua_cli.project import Project

if TYPE_CHECKING:
    from lua_cli.bundle.model import BuiltArtifact

RACY_NS = 2_000_000_000  # the coarsest clock of a file system in use (FAT: 2 s)
_FORMAT = 6


class Known(NamedTuple):
    """A record as it lies on the disk, as data, and the files whose content has changed since."""

    content: bytes
    record: dict[str, Any]
    changed: tuple[str, ...]


class Record:
    """The record of one project, in `.lua/cache/build.json`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._path = project.output / "cache" / "build.json"

    def holds(self) -> bool:
        """Everything is as it was when the record was written."""
        known = self.changed()
        return known is not None and not known.changed

    def changed(self) -> Known | None:
        """The record, and the files whose content is not as it was; None when anything else is not."""
        try:
            content = self._path.read_bytes()
            record = json.loads(content)
            same = bool(
                record["surroundings"] == _surroundings(self._project)
                and all(listing(Path(path)) == names for path, names in record["listings"].items())
                and all((name in os.environ) == there for name, there in record["variables"].items())
                and all(_glob(self._project.root, pattern) == found for pattern, found in record["globs"].items())
                and all(_files_in(folder) == found for folder, found in record["folders"].items())
            )
            written = record["written"]
            files = record["files"].items() if same else ()
            changed = tuple(path for path, facts in files if not _same_file(path, facts, written))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return Known(content, record, changed) if same else None

    def amend(
        self, record: Mapping[str, Any], files: Mapping[Path, Sequence[Any] | None], gone: Iterable[Path]
    ) -> bytes:
        """Remember another build that differs from the one of `record` in these files alone; gives what was
        written."""
        names = set(map(str, gone))
        left = {path: facts for path, facts in record["files"].items() if path not in names}
        new = {**record, "files": left | {str(path): facts for path, facts in files.items()}}
        new["written"] = now_on_disk(self._path.parent)
        content = json.dumps(new, separators=(",", ":")).encode()
        replace_cached(self._path, content)
        return content

    def write(
        self,
        read: Mapping[Path, str],
        listings: Mapping[Path, frozenset[str]],
        others: Iterable[Path],
        variables: Mapping[str, bool],
        skill_folders: Iterable[Path] = (),
    ) -> bytes | None:
        """Remember what the build was made of: `read` (file → SHA-256 of what was read), `listings` (folder → names as
        they were seen), `others` (an absent file is remembered as absent), `variables` of the environment (whether
        they were set) and `skill_folders`, whose every file counts.

        Gives what was written. Nothing is remembered when one of them has changed meanwhile: the record would speak for
        another state.
        """
        files = {str(path): _facts(path) for path in sorted({*read, *others})}
        if any(facts is None or facts[3] != read[path] for path in read for facts in (files[str(path)],)):
            return None
        folders = {path: _deciding(names) for path, names in listings.items()}
        if any(listing(path) != names for path, names in folders.items()):
            return None
        record: dict[str, Any] = {
            "surroundings": _surroundings(self._project),
            "files": files,
            "listings": {str(path): folders[path] for path in sorted(folders)},
            "variables": dict(variables),
            "globs": {pattern: _glob(self._project.root, pattern) for pattern in self._project.settings.include},
            "folders": {str(folder): _files_in(str(folder)) for folder in skill_folders},
        }
        record["written"] = now_on_disk(self._path.parent)
        content = json.dumps(record, separators=(",", ":")).encode()
        replace_cached(self._path, content)
        return content

    def forget(self) -> None:
        """Drop the record before a build is replaced, so that it never speaks for another one."""
        self._path.unlink(missing_ok=True)


def listing(folder: Path) -> list[str]:
    """The names in a folder that decide what an import finds there; none without the folder."""
    try:
        return _deciding(os.listdir(folder))  # noqa: PTH208  # names only, and many of them
    except OSError:
        return []


def _deciding(names: Iterable[str]) -> list[str]:
    """Python files, native modules, YAML files, and what may be a package's folder."""
    endings = (".py", ".so", ".pyd", ".yaml", ".yml")
    return sorted(n for n in names if n.endswith(endings) or ("." not in n and n != "__pycache__"))


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
    """Modification and change time, size, content of a file; None without one."""
    try:
        stat = path.stat()
        return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, hashlib.sha256(path.read_bytes()).hexdigest()]
    except OSError:
        return None


def facts_of_built(one: BuiltArtifact) -> Sequence[Any] | None:
    """The facts of an artifact that was just written or kept: its content is that of its digest."""
    try:
        stat = one.stored.stat()
    except OSError:
        return None
    return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, one.digest.partition(":")[2]]


def _same_file(path: str, facts: list[Any] | None, written: int) -> bool:
    try:
        stat = os.stat(path)  # noqa: PTH116  # thousands of these: a Path object for each would double the time
    except OSError:
        return facts is None
    if facts is None or stat.st_size != facts[2]:
        return False
    if [stat.st_mtime_ns, stat.st_ctime_ns] == facts[:2] and max(facts[:2]) < written - RACY_NS:
        return True
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


def now_on_disk(folder: Path) -> int:
    """The time as the file system tells it, which is the clock that files are compared with."""
    folder.mkdir(parents=True, exist_ok=True)
    path, handle = _new_file(folder)
    with os.fdopen(handle, "wb"):
        path.unlink()
        return os.fstat(handle).st_mtime_ns


def _new_file(folder: Path) -> tuple[Path, int]:
    """An empty file of a name of its own, opened. (`tempfile` brings the compression modules: half a bare Python.)"""
    path = folder / f"new-{os.urandom(8).hex()}"
    return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)


def replace_cached(path: Path, content: bytes) -> None:
    """Put a cache's file in place as a whole. Not synced, unlike a file of the user: what a power cut takes is made
    again."""
    new, handle = _new_file(path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
