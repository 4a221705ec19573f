"""`lua skills` and `lua skills versions`: what the registry has of the project's agent. The other commands of the group
are in skills_diff.py, skills_show.py and skills_content.py.
"""

from __future__ import annotations

from typing import Annotated

import typer

from lua_cli.commands.options import Agent, AsJson, Format, wants_json
from lua_cli.commands.skills_content import pull_command, verify_command, yank_command
from lua_cli.commands.skills_diff import diff_command
from lua_cli.commands.skills_show import show_command
from lua_cli.errors import EXIT_OK, UsageError

skills_app = typer.Typer(invoke_without_command=True, rich_markup_mode=None, add_completion=False)
skills_app.command("diff")(diff_command)
skills_app.command("show")(show_command)
skills_app.command("pull")(pull_command)
skills_app.command("yank")(yank_command)
skills_app.command("verify")(verify_command)


@skills_app.callback()
def skills_command(
    context: typer.Context, agent: Agent = None, output_format: Format = "text", as_json: AsJson = False
) -> int:
    """List the agent's skills: what is pushed, what is live, what changed since."""
    if context.invoked_subcommand is not None:
        return EXIT_OK
    from lua_cli.commands.session import note, print_json, progress, project, say
    from lua_cli.commands.target import open_target
    from lua_cli.pipeline import compile_project
    from lua_cli.registry.overview import compare
    from lua_cli.report.overview import skills_document, skills_lines

    json_wanted = wants_json(output_format, as_json)
    target_project = project()
    show = progress()
    document = compile_project(target_project, progress=show).document
    show("")
    with open_target(target_project, agent, document) as target:
        skills = compare(document, target.registry.skills(target.agent))
        if json_wanted:
            print_json(skills_document(skills, target.registry.place, target.agent))
        else:
            note(target.describe())
            say("\n".join(skills_lines(skills)))
    return EXIT_OK


@skills_app.command("versions")
def versions_command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The skill.", show_default=False)] = None,
    agent: Agent = None,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """List the versions of a skill, and the history of what was live."""
    from lua_cli.commands.choosing import chosen_skill, find_skill
    from lua_cli.commands.session import current, note, print_json, project, say
    from lua_cli.commands.target import open_target
    from lua_cli.report.registry import version_lines, versions_document

    json_wanted = wants_json(output_format, as_json)
    if name is None and not current().interactive:
        raise UsageError("missing NAME", hint="lua skills versions NAME; `lua skills` lists the names")
    with open_target(project(), agent) as target:
        skills = {skill.name: skill for skill in target.registry.skills(target.agent)}
        tools = {skill.name: skill.latest.tools if skill.latest else () for skill in skills.values()}
        name = name or chosen_skill(tools, "lua skills versions")
        skill = skills[find_skill(name, tools, "versioned", f"push it first: `lua push skill --name {name}`")]
        history = target.registry.history(target.agent, skill.name)
        if json_wanted:
            print_json(versions_document(skill, history, target.registry.place, target.agent))
        else:
            note(target.describe())
            say("\n".join(version_lines(skill, history)))
    return EXIT_OK
