"""`lua skills show`: everything that one version says of itself, read off its verified artifact."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lua_cli.commands.options import Agent, AsJson, Format, wants_json
from lua_cli.errors import EXIT_OK


def show_command(
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="NAME[@VERSION]", help="VERSION may be live (the default) or latest.", show_default=False
        ),
    ],
    agent: Agent = None,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Show one version: its tools, packages, lock file, variables and files."""
    from lua_cli.bundle import open_artifact
    from lua_cli.commands.session import note, print_json, project, say
    from lua_cli.commands.skills_content import split_wanted
    from lua_cli.commands.skills_diff import resolved_version
    from lua_cli.commands.target import open_target
    from lua_cli.report.registry import place_record
    from lua_cli.report.skills import manifest_lines

    json_wanted = wants_json(output_format, as_json)
    name, version = split_wanted(wanted)
    with open_target(project(), agent) as target:
        version = resolved_version(target.registry.skill(target.agent, name), name, version or "live")
        opened = open_artifact(target.registry.artifact(target.agent, name, version))
        manifest: dict[str, Any] = dict(opened.manifest)
        if json_wanted:
            place = place_record(target.registry.place)
            facts = {"skill": name, "skillVersion": version, "digest": opened.digest, "size": len(opened.content)}
            head = {"version": 1, "ok": True, "registry": place, "agent": target.agent}
            print_json({**head, **facts, "manifest": manifest})
        else:
            note(target.describe())
            say("\n".join([f"{name} {version}  {opened.digest}", *manifest_lines(manifest)]))
    return EXIT_OK
