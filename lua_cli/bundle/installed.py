"""The distributions that are installed for the project's interpreter, read off their metadata. Nothing is imported.

In: folders of installed packages. Out: which distribution owns a file, its version, what it requires. An import name
says nothing about who provides it: `yaml` is PyYAML's, and many distributions share `google`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from packaging.utils import canonicalize_name

from lua_cli.records import record

_INFO = ("*.dist-info", "*.egg-info")


@record(frozen=True, slots=False)
class Installed:
    """One distribution: its folder of metadata, and the folder that its files are relative to."""

    info: Path
    site: Path

    @cached_property
    def _headers(self) -> dict[str, list[str]]:
        """The fields of METADATA that matter here, up to the description."""
        out: dict[str, list[str]] = {}
        for line in self._text("METADATA", "PKG-INFO").splitlines():
            if not line:
                break
            key, colon, value = line.partition(":")
            if colon and not key[:1].isspace():
                out.setdefault(key.strip().lower(), []).append(value.strip())
        return out

    @property
    def name(self) -> str:
        return (self._headers.get("name") or [self.info.name.split("-")[0]])[0]

    @property
    def key(self) -> str:
        """The normalised name, off the folder's name: reading the metadata of everything takes a while."""
        return canonicalize_name(self.info.name.removesuffix(self.info.suffix).partition("-")[0])

    @property
    def version(self) -> str:
        return (self._headers.get("version") or [""])[0]

    @property
    def requires(self) -> tuple[str, ...]:
        return tuple(self._headers.get("requires-dist", ()))

    @cached_property
    def _direct_url(self) -> dict[str, object]:
        try:
            found = json.loads(self._text("direct_url.json"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def source(self) -> Path | None:
        """The folder of an editable install; None for other distributions."""
        info, url = self._direct_url.get("dir_info"), self._direct_url.get("url")
        if isinstance(info, dict) and info.get("editable") and isinstance(url, str) and url.startswith("file:"):
            path = unquote(urlsplit(url).path)
            return Path(path.lstrip("/") if re.match(r"/[A-Za-z]:", path) else path)
        return None

    @property
    def pin(self) -> str:
        """`name==version`, or the commit that it was installed from."""
        vcs, url = self._direct_url.get("vcs_info"), self._direct_url.get("url")
        if isinstance(vcs, dict) and isinstance(url, str) and isinstance(vcs.get("commit_id"), str):
            return f"{self.name} @ {vcs.get('vcs', 'git')}+{without_password(url)}@{vcs['commit_id']}"
        return f"{self.name}=={self.version}"

    def owns(self, file: str) -> bool:
        """Whether a file (relative to `site`, with `/`) is this distribution's."""
        return f"\n{file},".encode() in self._record or f'\n"{file}",'.encode() in self._record

    def owns_top_level(self, name: str) -> bool:
        """What older installs leave instead of a record: the names that they put on the path."""
        return not self._record.strip() and name in self._text("top_level.txt").split()

    @cached_property
    def _record(self) -> bytes:
        try:
            return b"\n" + (self.info / "RECORD").read_bytes().replace(b"\r\n", b"\n").replace(b"\\", b"/")
        except OSError:
            return b""

    def _text(self, *names: str) -> str:
        for name in names:
            try:
                return (self.info / name).read_text("utf-8", errors="replace")
            except OSError:
                continue
        return ""


class Environment:
    """Everything that is installed for one interpreter. The first folder of the path wins, as it does for Python."""

    def __init__(self, packages: Iterable[Path]) -> None:
        self.by_name: dict[str, Installed] = {}
        self._all: list[Installed] = []
        for site in packages:
            for installed in _in_folder(site):
                self._all.append(installed)
                self.by_name.setdefault(installed.key, installed)

    def owner(self, file: Path) -> Installed | None:
        """The distribution that a module's file belongs to; None when no metadata says."""
        for installed in self._all:
            if file.is_relative_to(installed.site):
                relative = file.relative_to(installed.site)
                if installed.owns(relative.as_posix()):
                    return installed
        for installed in self._all:
            if file.is_relative_to(installed.site):
                top = file.relative_to(installed.site).parts[0].partition(".")[0]
                if installed.owns_top_level(top):
                    return installed
        return self._editable_owner(file)

    def _editable_owner(self, file: Path) -> Installed | None:
        real = file.resolve()
        holders = [one for one in self._all if (source := one.source) and real.is_relative_to(source.resolve())]
        return max(holders, key=lambda one: len(str(one.source)), default=None)


def without_password(url: str) -> str:
    """The address without a user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _in_folder(site: Path) -> Iterator[Installed]:
    found = sorted(path for pattern in _INFO for path in site.glob(pattern) if path.is_dir())
    return (Installed(path, site) for path in found)
