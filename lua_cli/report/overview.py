"""How the source stands to the registry → lines of text and JSON documents. Pure; commands print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lua_cli.registry.overview import SkillOverview
from lua_cli.registry.protocol import RegistryPlace
from lua_cli.report.registry import DOCUMENT_VERSION, place_record, short, table

_LOCAL = {
    "new": "not pushed",
    "changed": "changed since {highest}",
    "same": "same as {version}",
    "older": "same as {version}",
    "removed": "not in this project",
    "broken": "does not compile",
}


def skills_lines(skills: Sequence[SkillOverview]) -> list[str]:
    """`lua skills`: a table."""
    if not skills:
        return ["the agent has no skills"]
    rows = [(s.name, *_numbers(s), _local(s), ", ".join(s.tools) or "-") for s in skills]
    return table(("SKILL", "LIVE", "LATEST", "LOCAL", "TOOLS"), rows)


def skills_document(skills: Sequence[SkillOverview], place: RegistryPlace, agent: str) -> dict[str, Any]:
    """`lua skills --json`."""
    return {
        "version": DOCUMENT_VERSION,
        "ok": True,
        "registry": place_record(place),
        "agent": agent,
        "skills": [skill_record(skill) for skill in skills],
    }


def status_lines(facts: Mapping[str, str], skills: Sequence[SkillOverview]) -> list[str]:
    """`lua status`: what and where, then each skill with the command that comes next."""
    width = max(map(len, facts))
    lines = [f"{name.ljust(width)}  {value}" for name, value in facts.items()]
    rows = [
        (s.name, short(s.digest) if s.digest else "-", _local(s), *reversed(_numbers(s)), s.next or "-") for s in skills
    ]
    return [
        *lines,
        "",
        *(table(("SKILL", "BUILD", "LOCAL", "LATEST", "LIVE", "NEXT"), rows) if rows else ["no skills"]),
    ]


def skill_record(skill: SkillOverview) -> dict[str, Any]:
    highest, live = skill.highest, skill.live
    return {
        "name": skill.name,
        "id": skill.id or None,
        "tools": list(skill.tools),
        "local": {"state": skill.local, "digest": skill.digest, "version": skill.version},
        "latest": skill.latest.version if skill.latest else None,
        "highest": {"version": highest.version, "digest": highest.digest} if highest else None,
        "live": live.version if live else None,
        "liveEntry": live.number if live else None,
        "versions": skill.versions,
        "next": skill.next or None,
    }


def _numbers(skill: SkillOverview) -> tuple[str, str]:
    return (skill.live.version if skill.live else "-", skill.latest.version if skill.latest else "-")


def _local(skill: SkillOverview) -> str:
    highest = skill.highest.version if skill.highest else ""
    return _LOCAL[skill.local].format(version=skill.version, highest=highest)
