"""The flows of a project on disk, or of an artifact. In: a folder; members. Out: `Flows`. Writes nothing.

A resource lies in the project, relative to the file that names it; a link that leads out of it is refused.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from lua_cli.diagnostics import Finding, Place
from lua_cli.flows.files import ResourceError, Resources, load
from lua_cli.flows.model import Flows
from lua_cli.flows.reading import YAML
from lua_cli.records import field, record
from lua_cli.source.denied import denied

SUFFIXES = (".yaml", ".yml")
CASES = (".test.yaml", ".test.yml")
MAX_BYTES = 2 * 1024**2


@record(frozen=True)
class Loaded:
    """The flows of a folder, and what they were made of: files by SHA-256, folders with the names in them."""

    flows: Flows
    read: Mapping[Path, str] = field(default_factory=dict)
    listings: Mapping[Path, frozenset[str]] = field(default_factory=dict)
    asked: tuple[Path, ...] = ()


def load_folder(root: Path, folder: Path, values: Mapping[str, str] | None = None) -> Loaded:
    """Every YAML file of the folder, those of its folders included; files named `*.test.yaml` are cases."""
    disk = _Disk(root)
    files, findings = {}, []
    for path in disk.yaml_files(folder):
        name = disk.name(path)
        if not name.endswith(SUFFIXES):
            facts = {
                "message": f"{path.name} is not read: the ending is {path.suffix}",
                "help": f"call it {path.stem}{path.suffix.lower()}",
            }
            findings.append(Finding(YAML, Place(name, 1, 1, 1, 1), facts))
            continue
        try:
            files[name] = disk.text(path)
        except ResourceError as error:
            findings.append(Finding(YAML, Place(name, 1, 1, 1, 1), {"message": error.message, "help": error.hint}))
    flows = load(files, disk.resource, values)
    if findings:
        flows = Flows(
            flows.service, flows.env, flows.resources, flows.connectors, flows.flows,
            (*findings, *flows.findings), flows.files,
        )  # fmt: skip
    return Loaded(flows, disk.read, disk.listings, tuple(sorted(disk.asked)))


def load_members(
    members: Mapping[str, bytes], values: Mapping[str, str] | None = None, only: Collection[str] | None = None
) -> Flows:
    """The flows of an artifact's members; `only` names those that hold flows, where other YAML lies beside them."""
    files = {
        name: content.decode("utf-8")
        for name, content in members.items()
        if (name.endswith(SUFFIXES) if only is None else name in only)
    }
    return load(files, _from_members(members), values)


def _from_members(members: Mapping[str, bytes]) -> Resources:
    def find(file: str, written: str) -> tuple[str, str]:
        name = posixpath.normpath(posixpath.join(posixpath.dirname(file), written))
        content = members.get(name)
        if content is None:
            raise ResourceError(f"the artifact has no {written}", "compile the project again")
        return name, content.decode("utf-8")

    return find


@record
class _Disk:
    root: Path
    read: dict[Path, str] = field(default_factory=dict)
    listings: dict[Path, frozenset[str]] = field(default_factory=dict)
    asked: set[Path] = field(default_factory=set)

    def yaml_files(self, folder: Path) -> Iterator[Path]:
        for current, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            self.listings[Path(current)] = frozenset((*names, *folders))
            for name in sorted(names):
                if name.lower().endswith(SUFFIXES) and not name.endswith(CASES) and not name.startswith("."):
                    yield Path(current) / name

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def text(self, path: Path) -> str:
        """The text, with plain line ends. Raises ResourceError."""
        shown = self.name(path)
        try:
            if not path.resolve().is_relative_to(self.root.resolve()):
                raise ResourceError(
                    f"{shown} is a link that leads out of the project", "copy the file into the project"
                )
            if path.exists() and not path.is_file():
                raise ResourceError(f"{shown} is no regular file", "write the file, or mend the path")
            content = path.read_bytes()
        except RuntimeError:  # before Python 3.13, of a link that leads to itself
            raise ResourceError(f"{shown} is a link that leads to itself", "mend the link") from None
        except OSError as error:
            self.asked.add(path)
            raise ResourceError(f"cannot read {shown}: {error.strerror}", "write the file, or mend the path") from None
        self.read[path] = hashlib.sha256(content).hexdigest()
        if len(content) > MAX_BYTES:
            raise ResourceError(f"{shown} is larger than {MAX_BYTES // 1024**2} MiB", "split it")
        try:
            return content.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise ResourceError(f"{shown} is not UTF-8 (byte {error.start})", "save it as UTF-8") from None

    def _denied(self, path: Path) -> str | None:
        """What no artifact holds, by its own name and by that of the file that a link leads to."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError):
            real = path
        return denied(path, self.root) or denied(real, self.root.resolve())

    def resource(self, file: str, written: str) -> tuple[str, str]:
        """A resource as a file names it. Raises ResourceError."""
        inside = posixpath.normpath(posixpath.join(posixpath.dirname(file), written))
        if "\0" in written or "\\" in written:
            raise ResourceError(f"{written!r} is no path", "write forward slashes")
        if posixpath.isabs(written) or inside.startswith("..") or inside == ".":
            raise ResourceError(
                f"{written!r} leads out of the project", "resources lie in the project, beside the flows"
            )
        path = self.root / inside
        what = self._denied(path)
        if what is not None:
            hint = "copy what it is about into a file of another name; values of variables are read as env.NAME"
            raise ResourceError(f"{written!r} is left out of every artifact: {what}", hint)
        return inside, self.text(path)
