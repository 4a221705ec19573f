"""`lua export agent-skill`: a skill as a folder of the Agent Skills format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.errors import EXIT_OK, LuaError, NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.scaffold.agent_skill import AgentSkill

export_app = typer.Typer(
    help="Write skills in other formats.", rich_markup_mode=None, add_completion=False, no_args_is_help=True
)


@export_app.callback()
def _export() -> None:
    """Write skills in other formats."""


@export_app.command("agent-skill")
def agent_skill_command(
    skills: Annotated[
        list[str] | None, typer.Option("--skill", metavar="NAME", help="This skill alone; again for more.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", metavar="DIR", help="Where the folders go, each named for its skill.")
    ] = Path("agent-skills"),
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Write skills as folders of the Agent Skills format: SKILL.md, and the tools' schemas."""
    from lua_cli.commands.session import build, note, print_json, project, say
    from lua_cli.scaffold.agent_skill import agent_skill

    artifacts = build(project()).artifacts
    for name in skills or ():
        if name not in artifacts:
            raise NotFoundError(f"no skill {name!r}", hint="there are: " + ", ".join(sorted(artifacts)))
    made = {name: agent_skill(artifacts[name].open()) for name in skills or artifacts}
    _check(made, output, force)
    written = {name: _write(skill, output) for name, skill in made.items()}
    if as_json:
        skills_written = [
            {"name": name, "path": str(path), "notes": list(made[name].notes)} for name, path in written.items()
        ]
        print_json({"ok": True, "skills": skills_written})
    else:
        for name, path in written.items():
            say(f"{name}  {path}")
            for line in made[name].notes:
                note(f"{name}: {line}")
    return EXIT_OK


def _check(made: dict[str, AgentSkill], output: Path, force: bool) -> None:
    """Nothing is written when something is in the way."""
    folders: dict[str, str] = {}
    for name, skill in made.items():
        if skill.name in folders:
            raise UsageError(f"{folders[skill.name]!r} and {name!r} would both be {skill.name}", hint="--skill NAME")
        folders[skill.name] = name
        there = [path for path in skill.files if (output / skill.name / path).exists()]
        if there and not force:
            raise UsageError(f"{output / skill.name / there[0]} is there already", hint="--force replaces it")


def _write(skill: AgentSkill, output: Path) -> Path:
    folder = output / skill.name
    try:
        for name, content in skill.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise LuaError(f"cannot write {error.filename or folder}: {error.strerror}", hint="see --output") from error
    return folder
