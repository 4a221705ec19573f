"""`lua push`: put a version of a skill into the registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.acting import wants_json
from lua_cli.errors import UsageError

if TYPE_CHECKING:
    from lua_cli.registry.plan import Plan
    from lua_cli.registry.semver import Version


def push_command(
    kind: Annotated[
        str | None, typer.Argument(metavar="skill|all", help="One skill, or all of the agent.", show_default=False)
    ] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="The skill.")] = None,
    set_version: Annotated[
        str | None, typer.Option("--set-version", metavar="V", help="The version, such as 1.2.0; else the next patch.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and change nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Ask nothing; a lower version is allowed.")] = False,
    auto_deploy: Annotated[bool, typer.Option("--auto-deploy", help="Make it live, too.")] = False,
    output_format: Annotated[str, typer.Option("--format", metavar="F", help="text or json.")] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> int:
    """Compile and upload a version of a skill."""
    from lua_cli.commands.acting import carry_out
    from lua_cli.commands.session import build, project
    from lua_cli.commands.target import known_variables, open_target, skill_kind
    from lua_cli.registry.planning import Planner

    json_wanted = wants_json(output_format, as_json)
    chosen_kind = skill_kind(kind, ("skill", "all"))
    if chosen_kind == "all" and name is not None:
        raise UsageError("`all` takes no --name", hint=f"lua push skill --name {name}")
    version = _version(set_version)
    target_project = project()
    built = build(target_project)
    skills = _skills(built.document, chosen_kind, name)
    with open_target(target_project, built.document) as target:
        planner = Planner(target.registry, target.agent, known_variables(target_project))
        plan = planner.push([built.artifacts[skill] for skill in skills], version=version, deploy=auto_deploy)
        question = None if force else _question(plan)
        return carry_out(plan, target, target_project, dry_run=dry_run, as_json=json_wanted, question=question)


def _version(text: str | None) -> Version | None:
    from lua_cli.registry.planning import LATEST
    from lua_cli.registry.semver import Version

    if text == LATEST:
        raise UsageError("`latest` is no version to push", hint="leave --set-version out for the next patch number")
    return Version.parse(text) if text is not None else None


def _skills(document: Mapping[str, Any], kind: str | None, name: str | None) -> list[str]:
    """The names of the skills to push."""
    from lua_cli.commands.target import chosen_skill, find_skill

    tools = {skill["name"]: skill["tools"] for skill in document["skills"]}
    if kind == "all":
        return list(tools)
    if name is None:
        name = chosen_skill(tools, "lua push")
    return [find_skill(name, tools, "pushed", "register it on the agent: `skills=[...]`")]


def _question(plan: Plan) -> str | None:
    """What consent is asked for: a version lower than the highest one."""
    from lua_cli.registry.plan import PushStep

    lower = [step for step in plan.steps if isinstance(step, PushStep) and step.lower]
    if not lower:
        return None
    return "; ".join(f"{step.skill} {step.version} is lower than {step.previous}" for step in lower)
