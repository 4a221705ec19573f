"""What differs in the files of two artifacts, and whether a registry holds what it says. In: artifacts, a registry.
Out: values. Reads, changes nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Literal

from lua_cli.bundle.model import OpenedArtifact
from lua_cli.bundle.opening import open_artifact
from lua_cli.errors import LuaError, UnavailableError
from lua_cli.records import field, record
from lua_cli.registry.facts import facts_of
from lua_cli.registry.protocol import Registry, SkillRecord, VersionRecord


@record(frozen=True)
class FileChange:
    """A file that is not in both artifacts alike. Lines count for texts; both are 0 for other content."""

    path: str
    action: Literal["added", "removed", "changed"]
    lines_added: int = 0
    lines_removed: int = 0


@record(frozen=True)
class ContentChanges:
    """Files, and what is required: pins that came and went."""

    files: tuple[FileChange, ...] = ()
    pins_added: tuple[str, ...] = ()
    pins_removed: tuple[str, ...] = ()


def content_changes(before: OpenedArtifact, after: OpenedArtifact) -> ContentChanges:
    """The files in the order of their names."""
    changes = []
    for path in sorted(before.files.keys() | after.files.keys()):
        old, new = before.files.get(path), after.files.get(path)
        if old != new:
            action: Literal["added", "removed", "changed"] = (
                "added" if old is None else "removed" if new is None else "changed"
            )
            changes.append(FileChange(path, action, *_line_counts(old or b"", new or b"")))
    old_pins, new_pins = _pins(before), _pins(after)
    return ContentChanges(tuple(changes), tuple(sorted(new_pins - old_pins)), tuple(sorted(old_pins - new_pins)))


def _line_counts(old: bytes, new: bytes) -> tuple[int, int]:
    try:
        before, after = old.decode("utf-8").splitlines(), new.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        return 0, 0
    added = removed = 0
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            removed += b - a
            added += d - c
    return added, removed


def _pins(artifact: OpenedArtifact) -> set[str]:
    return {pin for requirement in artifact.manifest["requires"] for pin in requirement["pins"]}


@record(frozen=True)
class Fault:
    """Something that a registry holds and that is not what it says. `version` is "" for the skill as a whole."""

    agent: str
    skill: str
    version: str
    message: str


@record
class Verified:
    """What was looked at. `loose` versions are of other clients: there is no artifact to check."""

    skills: int = 0
    versions: int = 0
    loose: int = 0
    size: int = 0
    faults: list[Fault] = field(default_factory=list)


def verify(
    registry: Registry, agents: tuple[str, ...], progress: Callable[[str], None] = lambda _text: None
) -> Verified:
    """Fetch and open every artifact of these agents, and compare it with what the registry says of it. Raises
    UnavailableError when the registry does not answer: that says nothing of what it holds.
    """
    verified = Verified()
    for agent in agents:
        try:
            skills = registry.skills(agent)
        except UnavailableError:
            raise
        except LuaError as error:
            verified.faults.append(Fault(agent, "", "", error.message))
            continue
        for skill in skills:
            verified.skills += 1
            verified.faults += [
                Fault(agent, skill.name, "", fault) for fault in _history_faults(registry, agent, skill)
            ]
            for version in skill.versions:
                progress(f"{agent} {skill.name} {version.version}")
                _verify_version(registry, agent, skill, version, verified)
    return verified


def _verify_version(
    registry: Registry, agent: str, skill: SkillRecord, record: VersionRecord, verified: Verified
) -> None:
    verified.versions += 1
    if not record.digest:
        verified.loose += 1
        return
    try:
        content = registry.artifact(agent, skill.name, record.version)
        said = registry.facts(agent, skill.name, record.version)
        opened = open_artifact(content)
    except UnavailableError:
        raise
    except LuaError as error:
        verified.faults.append(Fault(agent, skill.name, record.version, error.message))
        return
    verified.size += len(content)
    wrong = {
        "its digest is another": opened.digest != record.digest,
        "its size is another": len(content) != record.size,
        "it is the artifact of another skill": opened.skill != skill.name,
        "its tools are others than the registry lists": record.tools != facts_of(opened.manifest).tool_names,
        "it says of itself what the registry does not": facts_of(opened.manifest) != said,
    }
    verified.faults += [Fault(agent, skill.name, record.version, text) for text, found in wrong.items() if found]


def _history_faults(registry: Registry, agent: str, skill: SkillRecord) -> Iterator[str]:
    try:
        history = registry.history(agent, skill.name)
    except UnavailableError:
        raise
    except LuaError as error:
        yield error.message
        return
    previous = None
    for number, entry in enumerate(history, start=1):
        if entry.number != number or entry.previous != previous:
            yield f"entry {number} of its history does not follow the one before"
        if skill.find(entry.version) is None:
            yield f"entry {number} of its history names a version that is not there: {entry.version}"
        previous = entry.version
    if history and skill.live != history[-1]:
        yield "what is live is not the last entry of its history"
