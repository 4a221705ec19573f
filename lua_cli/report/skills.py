"""Differences of versions, and what a check of a registry found → lines of text and JSON documents. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lua_cli.registry.changes import Changes
from lua_cli.registry.content import ContentChanges, Verified
from lua_cli.registry.protocol import RegistryPlace
from lua_cli.report.registry import DOCUMENT_VERSION, change_lines, changes_record, place_record, size_text

_MARKS = {"added": "+", "removed": "-", "changed": "~"}


def diff_lines(old: str, new: str, changes: Changes, content: ContentChanges | None) -> list[str]:
    """`lua skills diff`: what the model sees first, then files and packages. `content` is None where one of the two
    has no artifact.
    """
    lines = [f"{old} -> {new}"]
    seen = change_lines(changes, texts=True) + [f"+ reads {name} from the environment" for name in changes.env]
    lines += [f"  {line}" for line in seen] or ["  the model sees no difference"]
    if content is None:
        return [*lines, "files: not known, one of the two has no artifact"]
    if content.files:
        lines.append("files")
        lines += [f"  {_MARKS[f.action]} {f.path}  (+{f.lines_added} -{f.lines_removed})" for f in content.files]
    if content.pins_added or content.pins_removed:
        lines.append("packages")
        lines += [f"  - {pin}" for pin in content.pins_removed] + [f"  + {pin}" for pin in content.pins_added]
    return lines


def diff_document(
    place: RegistryPlace, agent: str, skill: str, old: str, new: str, changes: Changes, content: ContentChanges | None
) -> dict[str, Any]:
    files = None
    packages = None
    if content is not None:
        files = [
            {"path": f.path, "action": f.action, "linesAdded": f.lines_added, "linesRemoved": f.lines_removed}
            for f in content.files
        ]
        packages = {"added": list(content.pins_added), "removed": list(content.pins_removed)}
    return {
        **_head(place, True),
        "agent": agent,
        "skill": skill,
        "from": old,
        "to": new,
        "changes": changes_record(changes),
        "files": files,
        "packages": packages,
    }


def verified_lines(verified: Verified) -> list[str]:
    """`lua skills verify`: each fault, then what was looked at."""
    lines = [f"{' '.join(filter(None, (f.agent, f.skill, f.version)))}: {f.message}" for f in verified.faults]
    counted = f"{verified.skills} skills, {verified.versions} versions, {size_text(verified.size)}"
    if verified.loose:
        counted += f" ({verified.loose} of other clients, without an artifact)"
    found = f"{len(verified.faults)} faults" if verified.faults else "all whole"
    return [*lines, f"{counted}: {found}"]


def verified_document(place: RegistryPlace, verified: Verified) -> dict[str, Any]:
    return {
        **_head(place, not verified.faults),
        "skills": verified.skills,
        "versions": verified.versions,
        "withoutArtifact": verified.loose,
        "size": verified.size,
        "faults": [
            {"agent": f.agent, "skill": f.skill or None, "version": f.version or None, "message": f.message}
            for f in verified.faults
        ],
    }


def _head(place: RegistryPlace, ok: bool) -> dict[str, Any]:
    return {"version": DOCUMENT_VERSION, "ok": ok, "registry": place_record(place)}


def manifest_lines(manifest: Mapping[str, Any]) -> list[str]:
    """What a version's manifest says, for people: tools, packages with their lock, variables, files."""
    lock, python = manifest["lock"], manifest["python"]
    lines = [f"  tool      {tool['name']}" for tool in manifest["tools"]]
    for package in manifest["requires"]:
        pins = ", ".join(package["pins"]) or "not pinned"
        lines.append(f"  package   {pins}  ({package['pinnedFrom'] or 'nothing pins it'}; {package['place']})")
    lines.append(f"  lock      {lock['file']}  sha256:{lock['sha256']}" if lock else "  lock      none was used")
    lines += [
        f"  variable  {read['name']}  ({'has a default; ' if read['optional'] else ''}{read['place']})"
        for read in manifest["envReads"]
    ]
    if python:
        lines.append(f"  python    {python}")
    lines += [f"  file      {file['path']}  {size_text(file['size'])}" for file in manifest["files"]]
    return lines
