"""How the source stands to the registry, skill by skill. In: the document of a compile and the registry's records.
Out: values. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from lua_cli.records import record
from lua_cli.registry.protocol import Deployment, SkillRecord, VersionRecord
from lua_cli.registry.semver import Version

LocalState = Literal["new", "same", "older", "changed", "removed", "broken"]


@record(frozen=True)
class SkillOverview:
    """One skill.

    local    "new": never pushed · "same": the highest version has this content · "older": an older one has it ·
    "changed": none has ·
             "removed": the agent does not have the skill any more · "broken": the project does not compile
    digest   of the local build; None without one. `version` is the one in the registry that has it
    highest  the last version by number; `latest` what `--set-version latest` means; `live` what is live
    tools    of the local source, else of the highest version
    next     the command that comes next, "" when nothing is to be done
    """

    name: str
    local: LocalState
    digest: str | None
    version: str | None
    highest: VersionRecord | None
    latest: VersionRecord | None
    live: Deployment | None
    tools: tuple[str, ...]
    next: str
    id: str = ""
    versions: int = 0


def compare(document: Mapping[str, Any], records: Iterable[SkillRecord]) -> tuple[SkillOverview, ...]:
    """All skills of the source (in its order) and then those that only the registry has."""
    known = {record.name: record for record in records}
    local = {skill["name"]: skill for skill in document["skills"] if isinstance(skill["name"], str)}
    ours = [_overview(name, skill, known.get(name), document["ok"]) for name, skill in local.items()]
    # With errors the source may say less than there is: nothing is called removed then.
    state: LocalState = "removed" if document["ok"] else "broken"
    theirs = [_entry(name, state, None, None, record, ()) for name, record in known.items() if name not in local]
    return (*ours, *theirs)


def _overview(name: str, skill: Mapping[str, Any], record: SkillRecord | None, ok: bool) -> SkillOverview:
    digest = skill["digest"]
    version: str | None = None
    state: LocalState
    if not ok or digest is None:
        state = "broken"
    elif record is None or record.highest is None:
        state = "new"
    else:
        same = [old.version for old in record.versions if old.digest == digest]
        version = same[-1] if same else None
        state = "changed" if version is None else "same" if version == record.highest.version else "older"
    return _entry(name, state, digest, version, record, tuple(skill["tools"]))


def _entry(
    name: str,
    state: LocalState,
    digest: str | None,
    version: str | None,
    record: SkillRecord | None,
    tools: tuple[str, ...],
) -> SkillOverview:
    live, highest = (record.live, record.highest) if record else (None, None)
    return SkillOverview(
        name=name,
        local=state,
        digest=digest,
        version=version,
        highest=highest,
        latest=record.latest if record else None,
        live=live,
        tools=tools or (highest.tools if highest else ()),
        next=_next(name, state, version, live),
        id=record.id if record else "",
        versions=len(record.versions) if record else 0,
    )


def _next(name: str, state: LocalState, version: str | None, live: Deployment | None) -> str:
    if state == "broken":
        return "lua compile"
    if state in ("new", "changed"):
        return f"lua push skill --name {name}"
    if live is not None and version == live.previous and version is not None and _higher(version, live.version):
        return ""  # it was live and was taken back: to make it live again is no next step
    if version is not None and (live is None or live.version != version):
        return f"lua deploy skill --name {name} --set-version {version}"
    return ""


def _higher(version: str, other: str) -> bool:
    return Version.parse(version).key > Version.parse(other).key
