"""Lock files → what they pin.

In: the project's folder. Out: the lock that counts, its packages, and the names of other locks beside it. `pylock.toml`
(PEP 751) comes before `uv.lock`, which may also be that of a workspace further up, if the project is a member; then a
`requirements.txt` that pins every line with `==`. Other formats are not read: the installed distributions are taken.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from lua_cli.bundle.installed import without_password
from lua_cli.errors import LuaError
from lua_cli.records import record

READ = ("pylock.toml", "uv.lock")
_PINNED = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?\s*==\s*([\w.!+-]+)\s*(?:;\s*(.+))?")
UNREAD = ("poetry.lock", "pdm.lock", "Pipfile.lock")


@record(frozen=True)
class Wanted:
    """A dependency as a lock states it; `version` only where the lock has several of that name."""

    name: str
    version: str | None = None
    marker: str = ""
    extras: tuple[str, ...] = ()


@record(frozen=True)
class Locked:
    """One package of a lock.

    dependencies  by extra, "" for those without one; None when the lock does not say
    marker        where this version is meant for, when there are several
    wheels        file names; `local`: its source is a folder of the developer's, so it has none
    """

    name: str
    version: str
    pin: str
    dependencies: Mapping[str, tuple[Wanted, ...]] | None
    marker: str = ""
    wheels: tuple[str, ...] = ()
    local: bool = False


@record(frozen=True)
class LockFile:
    """A lock that was read. `declared` is what it says of the project itself (name → specifier), None when it does not.
    `others` are locks beside it that do not count. `whole`: it has everything that its packages require."""

    path: Path
    sha256: str
    packages: Mapping[str, tuple[Locked, ...]]
    declared: Mapping[str, str] | None = None
    others: tuple[str, ...] = ()
    whole: bool = True


def read_lock(root: Path) -> LockFile | None:
    """The lock of the project rooted at `root`. Raises LuaError for one that cannot be read."""
    present = [name for name in (*READ, *UNREAD) if (root / name).is_file()]
    others = tuple(present[1:])
    if present[:1] == ["pylock.toml"]:
        return _pylock(root / "pylock.toml", others)
    if present[:1] == ["uv.lock"]:
        return _uv(root / "uv.lock", root, others)
    for folder in root.parents:
        if (folder / "uv.lock").is_file():
            found = _uv(folder / "uv.lock", root, tuple(present))
            return found if found.declared is not None else None
    return _requirements(root / "requirements.txt", tuple(present))


def _requirements(path: Path, others: tuple[str, ...]) -> LockFile | None:
    """A list that pins every line, with or without hashes, as pip-compile and `pip freeze` write it; else None."""
    try:
        content = path.read_bytes().replace(b"\r\n", b"\n")
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    packages = []
    for line in text.replace("\\\n", " ").split("\n"):
        stated = re.split(r"(?:^|\s)#|\s--hash", line)[0].strip()
        pinned = _PINNED.fullmatch(stated)
        if pinned:
            name, version = canonicalize_name(pinned[1]), pinned[2]
            packages.append(Locked(name, version, f"{name}=={version}", None, pinned[3] or "", local=True))
        elif stated and not stated.startswith(("--index-url", "--extra-index-url", "-i ", "--trusted-host")):
            return None
    digest = hashlib.sha256(content).hexdigest()
    return LockFile(path, digest, _by_name(packages), None, others, whole=False) if packages else None


def _document(path: Path) -> tuple[dict[str, Any], str]:
    """The parsed file, and its digest with `\\n` line ends."""
    try:
        content = path.read_bytes().replace(b"\r\n", b"\n")
        return tomllib.loads(content.decode("utf-8")), hashlib.sha256(content).hexdigest()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LuaError(f"{path.name} is not valid TOML: {error}", hint="write the lock file again") from error
    except OSError as error:
        raise LuaError(f"cannot read {path}: {error.strerror}") from error


def _pylock(path: Path, others: tuple[str, ...]) -> LockFile:
    from packaging.pylock import Package, Pylock, PylockUnsupportedVersionError, PylockValidationError

    document, digest = _document(path)
    try:
        lock = Pylock.from_dict(document)
    except (PylockValidationError, PylockUnsupportedVersionError) as error:
        raise LuaError(f"{path.name} is not a valid lock file: {error}", hint="write the lock file again") from error

    def locked(package: Package) -> Locked:
        version = str(package.version or "")
        pin = f"{package.name}=={version}"
        if package.vcs is not None and package.vcs.url:
            pin = f"{package.name} @ {package.vcs.type}+{without_password(package.vcs.url)}@{package.vcs.commit_id}"
        stated = package.dependencies
        wanted = tuple(Wanted(canonicalize_name(str(one.get("name", "")))) for one in stated or ())
        wheels = tuple(wheel.filename for wheel in package.wheels or ())
        return Locked(
            package.name,
            version,
            pin,
            None if stated is None else {"": wanted},
            str(package.marker or ""),
            wheels,
            package.directory is not None or package.archive is not None,
        )

    return LockFile(path, digest, _by_name([locked(package) for package in lock.packages]), None, others)


def _uv(path: Path, root: Path, others: tuple[str, ...]) -> LockFile:
    document, digest = _document(path)
    packages = [one for one in _tables(document.get("package")) if isinstance(one.get("name"), str)]
    declared: Mapping[str, str] | None = None
    for package in packages:
        source = package.get("source", {})
        place = source.get("editable") or source.get("virtual") if isinstance(source, dict) else None
        if isinstance(place, str) and (path.parent / place).resolve() == root.resolve():
            stated = package.get("metadata", {}).get("requires-dist", [])
            declared = {canonicalize_name(one["name"]): str(one.get("specifier", "")) for one in _tables(stated)}
    return LockFile(path, digest, _by_name([_uv_package(package) for package in packages]), declared, others)


def _uv_package(package: Mapping[str, Any]) -> Locked:
    name, version, source = package["name"], str(package.get("version", "")), package.get("source", {})
    pin = f"{name}=={version}"
    if isinstance(source.get("git"), str):
        address = urlsplit(source["git"])
        pin = f"{name} @ git+{without_password(address._replace(query='', fragment='').geturl())}@{address.fragment}"
    extras = package.get("optional-dependencies", {})
    return Locked(
        canonicalize_name(name),
        version,
        pin,
        {"": _uv_wanted(package.get("dependencies")), **{extra: _uv_wanted(extras[extra]) for extra in extras}},
        " or ".join(f"({marker})" for marker in package.get("resolution-markers", ())),
        tuple(_file_name(wheel) for wheel in _tables(package.get("wheels"))),
        any(key in source for key in ("editable", "virtual", "directory", "path")),
    )


def _uv_wanted(stated: object) -> tuple[Wanted, ...]:
    return tuple(
        Wanted(
            canonicalize_name(str(one.get("name", ""))),
            one.get("version"),
            str(one.get("marker", "")),
            tuple(one.get("extra", ())),
        )
        for one in _tables(stated)
    )


def _file_name(wheel: Mapping[str, Any]) -> str:
    return urlsplit(str(wheel.get("url") or wheel.get("path") or wheel.get("filename") or "")).path.rpartition("/")[2]


def _tables(value: object) -> Sequence[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else ()


def _by_name(packages: Sequence[Locked]) -> dict[str, tuple[Locked, ...]]:
    out: dict[str, tuple[Locked, ...]] = {}
    for package in packages:
        key = canonicalize_name(package.name)
        out[key] = (*out.get(key, ()), package)
    return out
