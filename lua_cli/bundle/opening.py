"""Opens an artifact and believes nothing of it.

In: a file or bytes from anywhere. Out: an OpenedArtifact whose every name, size and digest was checked, or a LuaError
that says what is wrong. Writes nothing, and a hostile file costs at most its own size, which is bounded, in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lua_cli.bundle.archive import MAX_ARCHIVE, ArchiveError, read_archive
from lua_cli.bundle.built import OpenedArtifact
from lua_cli.bundle.canonical import digest_of
from lua_cli.bundle.manifest import parse_manifest
from lua_cli.bundle.names import MANIFEST_NAME, collisions, name_problem
from lua_cli.bundle.shape import ManifestError
from lua_cli.errors import LuaError, NotFoundError


def open_artifact(source: Path | str | bytes) -> OpenedArtifact:
    """The artifact in a file, or in bytes. Raises NotFoundError without the file, LuaError for what is no artifact."""
    content, name = (source, "this") if isinstance(source, bytes) else (_read(Path(source)), Path(source).name)
    try:
        files = read_archive(content)
        manifest = _take_manifest(files)
        _check_files(files, manifest["files"])
        _check_references(files, manifest)
    except (ArchiveError, ManifestError) as error:
        hint = "compile the project again, or fetch the artifact again"
        raise LuaError(f"{name} is not a usable artifact: {error}", hint=hint) from None
    return OpenedArtifact(digest_of(content), manifest, files, content)


def _read(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe would block
        raise LuaError(f"{path} is not a file", hint="name a .luapkg file")
    try:
        with path.open("rb") as file:
            return file.read(MAX_ARCHIVE + 1)  # enough to see that it is too large
    except FileNotFoundError:
        raise NotFoundError(f"no artifact at {path}", hint="compile the project: lua compile") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise LuaError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def _take_manifest(files: dict[str, bytes]) -> dict[str, Any]:
    if next(iter(files)) != MANIFEST_NAME:
        raise ManifestError(f"its first member is not {MANIFEST_NAME}")
    return parse_manifest(files.pop(MANIFEST_NAME))


def _check_files(files: Mapping[str, bytes], declared: list[dict[str, Any]]) -> None:
    """The members are those of the manifest: names, order, sizes and digests."""
    for name in files:
        problem = name_problem(name)
        if problem:
            raise ManifestError(f"the member name {name!r} {problem}")
    for one, other, why in collisions([MANIFEST_NAME, *files]):
        raise ManifestError(f"the members {one!r} and {other!r} {why}")
    names = [entry["path"] for entry in declared]
    if names != list(files):
        odd = sorted(set(names) ^ set(files)) or names
        raise ManifestError(f"its members are not those that its manifest lists ({odd[0]!r})")
    if names != sorted(names):
        raise ManifestError("its members are not sorted")
    for entry in declared:
        content = files[entry["path"]]
        if len(content) != entry["size"] or hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise ManifestError(f"the member {entry['path']!r} is not the one that its manifest describes")


def _check_references(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> None:
    """What the manifest names is there, so that whoever runs it needs no checks of his own."""
    skill, kinds = manifest["skill"], {entry["path"]: entry["kind"] for entry in manifest["files"]}
    if skill["instructions"] is not None and kinds.get(skill["instructions"]) != "document":
        raise ManifestError(f"its document {skill['instructions']!r} is not among its files")
    if "folder" in skill and (skill["instructions"] or "").rpartition("/")[0] != skill["folder"]:
        raise ManifestError(f"its document is not in its folder {skill['folder']!r}")
    if skill["hasCondition"] != (skill["condition"] is not None):
        raise ManifestError("its manifest does not agree with itself about the skill's condition")
    if skill["condition"]:
        _check_module(files, skill["condition"]["module"])
    names: set[str] = set()
    for tool in manifest["tools"]:
        if tool["name"] in names:
            raise ManifestError(f"it has two tools with the name {tool['name']!r}")
        names.add(tool["name"])
        _check_tool(files, manifest, tool)
    if "flow" in manifest and "flows" in manifest:
        raise ManifestError("its manifest has both `flow` and `flows`")
    for called in manifest.get("flow", manifest.get("flows", {})).get("python", ()):
        _check_module(files, called["module"])


def _check_tool(files: Mapping[str, bytes], manifest: Mapping[str, Any], tool: Mapping[str, Any]) -> None:
    """A tool is a class of a module, or a chain or flow of the artifact's flows."""
    flows = "flow" in manifest or "flows" in manifest
    if "flow" not in tool and tool["module"] is not None and tool["qualname"] is not None:
        _check_module(files, tool["module"])
    elif not ("flow" in tool and flows and tool["module"] is None and tool["qualname"] is None):
        raise ManifestError(f"the tool {tool['name']!r} is neither a class nor a chain")


def _check_module(files: Mapping[str, bytes], module: str) -> None:
    path = module.replace(".", "/")
    if f"{path}.py" not in files and f"{path}/__init__.py" not in files:
        raise ManifestError(f"the module {module!r} is not among its files")
