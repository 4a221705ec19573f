"""A project that was known, after an edit: what it is recognised by now. In: the project as it was (`at_once.before`).
Out: the `Fresh` build, which can be kept with what is said of it, or None: then the long way has to look.

Must not import more than `edits.py` does: together they are what an edit waits for.
"""

from __future__ import annotations

import os

from lua_cli.bundle.publishing import BUILDS
from lua_cli.pipeline import at_once
from lua_cli.pipeline.edits import Applied, apply
from lua_cli.pipeline.stamps import RACY_NS, RECORD, assured, forget_kept, listing, read_cached, write_kept
from lua_cli.plain_json import loads

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Fresh:
    """A build that was brought up to date, of a project that is known."""

    __slots__ = ("_known", "_new", "applied")

    def __init__(self, known: at_once.Known, applied: Applied, new: _Stamped) -> None:
        self._known, self.applied, self._new = known, applied, new

    def said_before(self, name: str) -> str | None:
        """What was said of the last build under a name."""
        return self._known.answer(name)

    def keep(self, name: str, said: str) -> None:
        """Remember what is said of the new one. A disk that refuses costs the next time the longer way."""
        root = self._known.root
        try:
            lines = assured(self._new.young, os.path.join(root, ".lua", "cache"), RACY_NS, self._new.sure)
            if lines is None:
                return
            lines += self._new.lines
            token = os.urandom(16).hex()
            diagnostics = self.applied.document["diagnostics"]
            stale = any(one["code"] == "lua/lock-stale" for one in diagnostics)
            flags = f"{int(bool(diagnostics))}{int(stale)}"
            forget_kept(root)
            stated = at_once.surroundings(root)
            write_kept(root, at_once.STAMPS, "\n".join((stated, flags, token, *lines)))
            write_kept(root, name, f"{token}\n{said}")
        except (OSError, UnicodeError):
            return


def after_edit(known: at_once.Known, differing: Sequence[str]) -> Fresh | None:
    """The build of a project whose sources alone were edited, in bodies of functions that decided nothing. `differing`
    are its stamps that do not hold any more.
    """
    try:
        content = read_cached(os.path.join(known.root, ".lua", "cache", RECORD))
        record, new = loads(content), _Stamped(differing)
        if not new.only_contents(record):
            return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # a cache that is damaged
    applied = apply(known.root, content, record, new.files)
    if applied is None:
        return None
    new.files_of(known.root, applied)
    new.go_over(known.lines)
    return Fresh(known, applied, new)


class _Stamped:
    """The stamps of a project after an edit: those that differ are taken anew, before anything is read.

    files  the files whose content changed
    lines  the stamps that speak for themselves · `young` are those that may not
    sure   what is in files and folders, where that is known
    """

    def __init__(self, differing: Sequence[str]) -> None:
        self.files: list[str] = []
        self.lines: list[str] = []
        self.young: list[str] = []
        self._folders: list[str] = []
        self._odd = False
        self._stamps: dict[str, str] = {}
        self.sure: dict[str, str] = {}
        self._gone = ("", "")
        self._link = ""
        for line in differing:
            kind, _, path = line.split(" ", 2)
            if kind in ("file", "content"):
                self._take(self.files, path, f"file {at_once.stamp_of(path, whole=True)} {path}")
            elif kind in ("folder", "names"):
                self.sure[path] = at_once.names_in(path)
                self._take(self._folders, path, f"folder {at_once.stamp_of(path, whole=False)} {path}")
            else:
                self._odd = True

    def _take(self, found: list[str], path: str, line: str) -> None:
        if path not in self._stamps:
            found.append(path)
            self._stamps[path] = line

    def only_contents(self, record: Mapping[str, Any]) -> bool:
        """Whether folders that were written to have the names that decide as before: editors save by a new file."""
        if self._odd or not self.files or not all(path in record["files"] for path in self.files):
            return False
        if self._folders and (record["globs"] or record["folders"]):
            return False
        packages = {path for path, _ in record["surroundings"]["packages"]}
        listings = record["listings"]
        return all(
            path in listings and path not in packages and listing(path) == listings[path] for path in self._folders
        )

    def files_of(self, root: str, applied: Applied) -> None:
        """Take in what the new build is made of."""
        for one in applied.edited:
            path = os.path.join(root, *one.shown.split("/"))
            self.sure[path] = str(one.facts[3])
        self._link = os.path.join(BUILDS, os.path.basename(applied.folder))
        self._gone = (os.path.realpath(applied.left) + os.sep, os.path.realpath(applied.folder) + os.sep)

    def go_over(self, lines: Sequence[str]) -> None:
        """All stamps as they are now. What was young before may be so still; all else that is not new is not."""
        old, new = self._gone
        for line in lines:
            if line.startswith(("content ", "names ")):
                _, digest, path = line.split(" ", 2)
                self.sure.setdefault(path, digest)
        for line in lines:
            kind, _, rest = line.partition(" ")
            path = rest.partition(" ")[2]
            if kind == "link":
                self.lines.append(f"link {self._link} {path}")
            elif kind == "file" and path.startswith(old):
                path = new + path[len(old) :]
                self.lines.append(f"file {at_once.stamp_of(path, whole=True)} {path}")
            elif kind in ("file", "folder") and (path in self.sure or path in self._stamps):
                self.young.append(self._stamps.get(path, line))
            elif kind not in ("content", "names"):
                self.lines.append(line)
