"""The files of one draft: read, checked, each under one name.

In: paths in the project, with the name in the archive and the reason. Out: `BundledFile`s and findings. Text that
Python or a model reads gets `\\n` line ends, so that a checkout with CRLF gives the same bytes; data stays as it is.
"""

from __future__ import annotations

import errno
import hashlib
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from lua_cli.analysis.model import Finding
from lua_cli.bundle.archive import MAX_FILE
from lua_cli.bundle.model import BundledFile
from lua_cli.bundle.names import MANIFEST_NAME, collisions, name_problem
from lua_cli.diagnostics import Place
from lua_cli.errors import LuaError
from lua_cli.packed import Packed
from lua_cli.project import Project
from lua_cli.source import SourceIndex
from lua_cli.source.recent import Recent

Kind = Literal["module", "data", "document"]


class FileReader:
    """Reads files once for all skills, and knows where they may lie."""

    def __init__(self, project: Project, index: SourceIndex, *, keeps: bool) -> None:
        self.project = project
        self._index = index
        self._homes = tuple(folder.resolve() for folder in (project.root, *project.import_roots))
        self.digests: dict[Path, str] = {}
        self.asked: set[Path] = set()
        self._keeps = keeps
        self._folders: dict[Path, Path] = {}
        self._contents: dict[tuple[Path, bool], Packed] = {} if keeps else Recent()

    def read(self, path: Path, *, text: bool) -> Packed:
        """The content. Raises OSError, and LuaError for one that is too large or changed since it was analysed."""
        if (path, text) not in self._contents:
            facts = path.stat()
            if not stat.S_ISREG(facts.st_mode):  # reading a pipe would wait for ever
                raise OSError(errno.EINVAL, "it is no regular file", str(path))
            size = facts.st_size
            if size > MAX_FILE:
                raise LuaError(
                    f"{self.project.relative(path)} is too large for an artifact: {size / 2**20:.1f} MiB",
                    hint=f"a file may have {MAX_FILE // 2**20} MiB: let the tool fetch large data",
                )
            content = path.read_bytes()
            digest = self.digests[path] = hashlib.sha256(content).hexdigest()
            if self._index.read.get(path, digest) != digest:
                shown = self.project.relative(path)
                raise LuaError(f"{shown} changed while it was compiled", hint="compile again: lua compile")
            whole = content.replace(b"\r\n", b"\n") if text else content
            self._contents[path, text] = self._index.held(path, whole) if self._keeps else Packed(whole, packs=False)
        return self._contents[path, text]

    def shown(self, path: Path) -> str:
        """A path as it is shown: one text for all who ask."""
        return self._index.shown(path)

    def outside(self, path: Path) -> Path | None:
        """Where the file really lies, when a link on its way leaves the project."""
        folder = path.parent
        if folder not in self._folders:
            self._folders[folder] = folder.resolve()
        real = path.resolve() if path.is_symlink() else self._folders[folder] / path.name
        return None if any(real.is_relative_to(folder) for folder in self._homes) else real


class Members:
    """The files of one draft so far."""

    def __init__(self, reader: FileReader) -> None:
        self.findings: list[Finding] = []
        self._reader = reader
        self._files: dict[str, tuple[BundledFile, Place]] = {}
        self._paths: dict[str, Path] = {}

    def add(self, name: str, path: Path, kind: Kind, reason: str, place: Place, *, beside: bool = False) -> None:
        """Takes a file in under `name`; `place` is where it was asked for. Asking again changes nothing. `beside`: it
        is of a package beside the project, whose place somebody chose by installing it."""
        if name in self._files:
            if self._paths[name] != path:
                other = self._files[name][0].source
                shown = self._reader.project.relative(path)
                self._collide(name, f"{other} and {shown} would both be `{name}` in the artifact", place)
            return
        problem = "is the artifact's own" if name == MANIFEST_NAME else name_problem(name)
        if problem:
            self._collide(name, f"the name {problem}", place)
            return
        real = self._reader.outside(path)
        if real is not None and not beside:
            facts = {"name": self._reader.project.relative(path), "reason": real.as_posix()}
            self.findings.append(Finding("lua/link-outside", place, facts))
            return
        try:
            content = self._reader.read(path, text=kind == "document" or path.suffix == ".py")
        except OSError as error:
            facts = {"name": self._reader.project.relative(path), "reason": error.strerror or str(error)}
            self.findings.append(Finding("lua/data-file-missing", place, facts))
            return
        self._files[name] = (BundledFile(name, content, kind, reason, self._reader.shown(path)), place)
        self._paths[name] = path

    def ask(self, path: Path) -> Path:
        """The path, remembered as one that the answer depends on, there or not."""
        self._reader.asked.add(path)
        return path

    def has_below(self, folder: str) -> bool:
        """Whether something is bundled in this folder of the archive."""
        return any(name.startswith(f"{folder}/") or folder == "." for name in self._files)

    def files(self) -> tuple[BundledFile, ...]:
        """All files, sorted by name; names that exclude one another on some system become findings."""
        for one, other, why in collisions([MANIFEST_NAME, *self._files]):
            sources = [self._files[name][0].source for name in (one, other) if name in self._files]
            reason = " and ".join(f"`{source}`" for source in sources) + f" {why}"
            self._collide(other, reason, self._files[other if other in self._files else one][1])
        return tuple(self._files[name][0] for name in sorted(self._files))

    def say(self, code: str, place: Place, **facts: str) -> None:
        self.findings.append(Finding(code, place, facts))

    def extend(self, findings: Iterable[Finding]) -> None:
        self.findings.extend(findings)

    def _collide(self, name: str, reason: str, place: Place) -> None:
        self.findings.append(Finding("lua/name-collision", place, {"name": name, "reason": reason}))
