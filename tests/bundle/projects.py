"""Projects on disk, and what the bundler says of them, without the stages before it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from lua_cli.bundle.closure import Closure, Imports, member_name
from lua_cli.project import Project, open_project
from lua_cli.source import SourceIndex


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def project(root: Path, files: Mapping[str, str | bytes]) -> Project:
    """A project of these files; an entry and pyproject.toml are there when they are not among them."""
    entry = {} if "src/agent.py" in files else {"agent.py": ""}
    write(root, {**entry, "pyproject.toml": "[tool.lua]\n", **files})
    return open_project(root)


def virtual_environment(folder: Path) -> Path:
    """An environment as far as the bundler looks at one; gives its folder of packages."""
    version = "{}.{}".format(*sys.version_info)
    write(folder, {"bin/python": "", "pyvenv.cfg": f"version = {version}\n"})
    packages = folder / "lib" / f"python{version}" / "site-packages"
    packages.mkdir(parents=True)
    return packages


def install(
    packages: Path,
    name: str,
    version: str,
    modules: Mapping[str, str],
    *,
    requires: tuple[str, ...] = (),
    extra: str = "",
) -> Path:
    """An installed distribution: its files and its metadata. Gives the metadata's folder."""
    write(packages, modules)
    info = packages / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires) + f"{extra}\nA description.\nName: not this\n"
    record = "".join(f"{module},sha256=x,1\n" for module in modules) + f"{info.name}/METADATA,,\n"
    write(info, {"METADATA": metadata, "RECORD": record})
    return info


def closure(project: Project, *roots: str) -> Closure:
    return Imports(SourceIndex(project)).closure([(root, "the root", None) for root in roots])


def bundled(project: Project, *roots: str) -> list[str]:
    """The module files that a closure has, sorted."""
    found = closure(project, *roots).modules.values()
    return sorted(member_name(module.location) for module in found if module.location.path)
