"""`lua status`: the project, its agent, its registry, and for each skill what comes next."""

from __future__ import annotations

from typing import Any

from lua_cli.commands.options import Agent, AsJson, Format, wants_json
from lua_cli.errors import EXIT_OK


def status_command(agent: Agent = None, output_format: Format = "text", as_json: AsJson = False) -> int:
    """Say where everything is, and what comes next for each skill."""
    from lua_cli.commands.session import print_json, progress, project, say
    from lua_cli.commands.target import open_target
    from lua_cli.pipeline import compile_project
    from lua_cli.project.state import STATE_FILE, read_state
    from lua_cli.registry.overview import compare
    from lua_cli.report.overview import skills_document, status_lines

    json_wanted = wants_json(output_format, as_json)
    target_project = project()
    show = progress()
    document = compile_project(target_project, progress=show).document
    show("")
    state = read_state(target_project.root)
    entry = target_project.relative(target_project.entry)
    with open_target(target_project, agent, document) as target:
        skills = compare(document, target.registry.skills(target.agent))
        place = target.registry.place
        if json_wanted:
            facts: dict[str, Any] = {
                "project": str(target_project.root),
                "entry": entry,
                "python": {
                    "path": str(target_project.interpreter.executable),
                    "why": target_project.interpreter.why,
                },
                "compiles": document["ok"],
                "state": {"path": STATE_FILE, "damaged": state.damaged or None},
            }
            print_json({**skills_document(skills, place, target.agent), **facts})
            return EXIT_OK
        text = {
            "project": f"{target_project.root} ({entry})",
            "agent": target.agent,
            "registry": f"{place.kind} ({place.where})",
            "python": f"{target_project.interpreter.executable} ({target_project.interpreter.why})",
        }
        if state.damaged:
            text["state"] = f"{STATE_FILE} is damaged ({state.damaged}); the next push makes it anew"
        say("\n".join(status_lines(text, skills)))
    return EXIT_OK
