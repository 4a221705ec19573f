"""`lua deploy` and `lua rollback`: make a version of a skill live."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.commands.options import Agent, AsJson, DryRun, Force, Format, Name, wants_json
from lua_cli.errors import UsageError

if TYPE_CHECKING:
    from lua_cli.registry.plan import Plan
    from lua_cli.registry.planning import Planner

Kind = Annotated[str | None, typer.Argument(metavar="skill", help="What: a skill.", show_default=False)]
AllKind = Annotated[
    str | None, typer.Argument(metavar="skill|all", help="One skill, or the latest of all.", show_default=False)
]


def deploy_command(
    kind: AllKind = None,
    name: Name = None,
    set_version: Annotated[
        str | None, typer.Option("--set-version", metavar="V", help="The version, or latest.")
    ] = None,
    agent: Agent = None,
    dry_run: DryRun = False,
    force: Force = False,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Make a pushed version of a skill live."""
    if kind == "all" and (name is not None or set_version not in (None, "latest")):
        raise UsageError("`all` takes the latest version of every skill", hint="lua deploy all")

    def plan(planner: Planner, skill: str) -> Plan:
        return planner.deploy(skill, set_version or _asked_version(planner, skill))

    return _go_live(
        "deploy", plan, kind, name, agent, dry_run=dry_run, force=force, as_json=wants_json(output_format, as_json)
    )


def rollback_command(
    kind: Kind = None,
    name: Name = None,
    set_version: Annotated[
        str | None,
        typer.Option("--set-version", metavar="V", help="The version; else the one that was live before this one."),
    ] = None,
    agent: Agent = None,
    dry_run: DryRun = False,
    force: Force = False,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Make the version live that was live before, as a new entry of the history."""

    def plan(planner: Planner, skill: str) -> Plan:
        return planner.rollback(skill, set_version)

    return _go_live(
        "rollback", plan, kind, name, agent, dry_run=dry_run, force=force, as_json=wants_json(output_format, as_json)
    )


def _go_live(
    command: str,
    make_plan: Callable[[Planner, str], Plan],
    kind: str | None,
    name: str | None,
    agent: str | None,
    *,
    dry_run: bool,
    force: bool,
    as_json: bool,
) -> int:
    """What both have in common. The source need not compile for it, and only a person at the terminal is asked."""
    from lua_cli.commands.acting import carry_out
    from lua_cli.commands.choosing import chosen_skill, find_skill, skill_kind
    from lua_cli.commands.ownership import own_skills
    from lua_cli.commands.session import note, project
    from lua_cli.commands.target import known_variables, open_target, remembered
    from lua_cli.pipeline import compile_project
    from lua_cli.registry.planning import Planner

    skill_kind(kind, ("skill", "all") if command == "deploy" else ("skill",))
    target_project = project()
    document = compile_project(target_project, until="analysis").document if kind == "all" else None
    with open_target(target_project, agent, document, changing=True) as target:
        skills = {
            skill.name: skill.latest.tools if skill.latest else () for skill in target.registry.skills(target.agent)
        }
        planner = Planner(target.registry, target.agent, known_variables(target_project))
        if document is not None:
            own = own_skills(document, remembered(target_project, target) or ())
            if others := sorted(skills.keys() - own):
                note(f"left alone, not of this project: {', '.join(others)}")
            if absent := sorted(one["name"] for one in document["skills"] if one["name"] not in skills):
                note(f"left out, never pushed: {', '.join(absent)} (lua push all)")
            plan = planner.deploy_all(own)
        else:
            name = name or chosen_skill(skills, f"lua {command}")
            otherwise = f"push it first: `lua push skill --name {name}`"
            plan = make_plan(planner, find_skill(name, skills, "deployed", otherwise))
        going = ", ".join(f"{step.skill} {step.version}" for step in plan.steps if step.action != "unchanged")
        question = None if force else f"{going} goes live"
        return carry_out(
            plan, target, target_project, dry_run=dry_run, as_json=as_json, question=question, must_ask=False
        )


def _asked_version(planner: Planner, skill: str) -> str:
    """The version that the person at the terminal picks. Raises UsageError where nobody can be asked."""
    from lua_cli.commands.choosing import choose
    from lua_cli.commands.session import current

    if not current().interactive:
        raise UsageError("missing --set-version", hint=f"lua deploy skill --name {skill} --set-version latest")
    record = planner.registry.skill(planner.agent, skill)
    versions = [version.version for version in reversed(record.versions) if not version.yanked] if record else []
    return choose("Version", versions)
