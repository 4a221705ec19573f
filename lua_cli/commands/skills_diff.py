"""`lua skills diff`: what changes between two versions of a skill, or between what is live and the working tree."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.commands.options import Agent, AsJson, Format, wants_json
from lua_cli.errors import EXIT_OK, NotFoundError
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.bundle.model import BuiltArtifact, OpenedArtifact
    from lua_cli.commands.target import Target
    from lua_cli.registry.protocol import SkillFacts, SkillRecord


@record(frozen=True)
class _Side:
    """One of the two that are compared. `opened` is None for a version that has no artifact."""

    name: str
    facts: SkillFacts
    opened: OpenedArtifact | None


def diff_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The skill.", show_default=False)],
    old: Annotated[
        str | None,
        typer.Argument(metavar="OLD", help="A version, live or latest; else what is live.", show_default=False),
    ] = None,
    new: Annotated[
        str | None, typer.Argument(metavar="NEW", help="Another one; else the working tree.", show_default=False)
    ] = None,
    agent: Agent = None,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Show what changes for the model, then which files."""
    from lua_cli.commands.choosing import pushed_skill
    from lua_cli.commands.session import build, note, print_json, project, say
    from lua_cli.commands.target import open_target
    from lua_cli.registry.agents_of_flows import with_agents
    from lua_cli.registry.changes import changes_between
    from lua_cli.registry.content import content_changes
    from lua_cli.report.skills import diff_document, diff_lines

    json_wanted = wants_json(output_format, as_json)
    target_project = project()
    built = build(target_project) if new is None else None
    with open_target(target_project, agent, built.document if built else None) as target:
        record = pushed_skill(target, name)
        here = _working_tree(built.artifacts, name) if built is not None else None  # a name that is nowhere is said so
        before = _version(target, record, name, old or "live")
        after = here or _version(target, record, name, new or "live")
        changes = changes_between(before.facts, after.facts)
        both = before.opened, after.opened
        content = None
        if both[0] is not None and both[1] is not None:
            content, changes = content_changes(both[0], both[1]), with_agents(changes, both[0], both[1])
        place, sides = target.registry.place, (before.name, after.name)
        if json_wanted:
            print_json(diff_document(place, target.agent, name, *sides, changes, content))
        else:
            note(target.describe())
            say("\n".join(diff_lines(*sides, changes, content)))
    return EXIT_OK


def resolved_version(record: SkillRecord | None, name: str, wanted: str) -> str:
    """The version that is meant: one by number, "latest", or "live" (the latest one where nothing is live). Raises
    NotFoundError with those that are there.
    """
    from lua_cli.registry.refusals import no_such_version

    if record is None:
        raise no_such_version(None, name, wanted)
    if wanted == "live" and record.live:
        return record.live.version
    found = record.latest if wanted in ("live", "latest") else record.find(wanted)
    if found is None:
        raise no_such_version(record, name, wanted)
    return found.version


def _version(target: Target, record: SkillRecord | None, name: str, wanted: str) -> _Side:
    from lua_cli.bundle import open_artifact

    version = resolved_version(record, name, wanted)
    facts = target.registry.facts(target.agent, name, version)
    found = record.find(version) if record else None
    opened = open_artifact(target.registry.artifact(target.agent, name, version)) if found and found.digest else None
    live = record.live.version if record and record.live else None
    return _Side(f"{name} {version}" + (" (live)" if version == live else ""), facts, opened)


def _working_tree(artifacts: Mapping[str, BuiltArtifact], name: str) -> _Side:
    from lua_cli.registry.facts import facts_of

    if name not in artifacts:
        near = get_close_matches(name, artifacts, n=1)
        there = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(artifacts)) or 'none'}"
        raise NotFoundError(f'the project has no skill "{name}"', hint=there)
    opened = artifacts[name].open()
    return _Side("the working tree", facts_of(opened.manifest), opened)
