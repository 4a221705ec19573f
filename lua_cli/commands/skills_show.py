"""`lua skills show`: everything that one version says of itself, read off its verified artifact."""

from __future__ import annotations

from typing import Annotated

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
    from lua_cli.commands.session import note, print_json, project, say
    from lua_cli.commands.skills_content import fetched, fetched_record, split_wanted
    from lua_cli.commands.target import open_target
    from lua_cli.report.skills import manifest_lines

    json_wanted = wants_json(output_format, as_json)
    name, version = split_wanted(wanted)
    with open_target(project(), agent) as target:
        version, opened = fetched(target, name, version)
        if json_wanted:
            print_json({**fetched_record(target, version, opened), "manifest": dict(opened.manifest)})
        else:
            note(target.describe())
            say("\n".join([f"{name} {version}  {opened.digest}", *manifest_lines(opened.manifest)]))
    return EXIT_OK
