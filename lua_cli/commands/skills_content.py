"""`lua skills pull`, `yank` and `verify`: fetch an artifact, withdraw a version, check a whole registry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.options import Agent, AsJson, Force, Format, wants_json
from lua_cli.errors import EXIT_FINDINGS, EXIT_INTERRUPTED, EXIT_OK, LuaError, UsageError

if TYPE_CHECKING:
    from lua_cli.bundle import OpenedArtifact
    from lua_cli.commands.target import Target

Wanted = Annotated[str, typer.Argument(metavar="NAME@VERSION", help="The skill and the version.", show_default=False)]


def pull_command(
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="NAME[@VERSION]", help="VERSION may be live (the default) or latest.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PATH", help="A file or a folder; else here.", show_default=False),
    ] = None,
    agent: Agent = None,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Fetch the artifact of a version, verified."""
    from lua_cli.bundle.names import artifact_file_name
    from lua_cli.commands.session import note, print_json, project, say
    from lua_cli.commands.target import open_target
    from lua_cli.project.replacing import replace_file
    from lua_cli.report.registry import size_text

    json_wanted = wants_json(output_format, as_json)
    name, version = split_wanted(wanted)
    with open_target(project(), agent) as target:
        version, opened = fetched(target, name, version)
        path = output or Path()
        if path.is_dir():
            path = path / artifact_file_name(name).replace(".luapkg", f"-{version}.luapkg")
            _refuse_another(path, opened.content)
        try:
            replace_file(path, opened.content)
        except OSError as error:
            raise LuaError(f"cannot write {path}: {error.strerror}", hint="name another place with --output") from error
        if json_wanted:
            print_json({**fetched_record(target, version, opened), "path": str(path)})
        else:
            note(target.describe())
            say(f"{path}  {name} {version}  {opened.digest}  {size_text(len(opened.content))}")
    return EXIT_OK


def _refuse_another(path: Path, content: bytes) -> None:
    """Raises UsageError where a file of that name holds something else: the same version out of another registry."""
    if path.is_file() and path.read_bytes() != content:
        hint = f"move it away, or name the file that is to be replaced: --output {path}"
        raise UsageError(f"{path} is there already, with another content", hint=hint)


def yank_command(
    wanted: Wanted,
    undo: Annotated[bool, typer.Option("--undo", help="Take it back.")] = False,
    agent: Agent = None,
    force: Force = False,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Withdraw a version: it stays readable, and is not deployed any more."""
    from lua_cli.commands.choosing import confirm, pushed_skill
    from lua_cli.commands.session import current, note, print_json, project, say
    from lua_cli.commands.target import open_target
    from lua_cli.report.registry import place_record, version_record

    json_wanted = wants_json(output_format, as_json)
    name, version = split_wanted(wanted)
    if not version:
        raise UsageError("missing the version", hint=f"lua skills yank {name}@1.0.0")
    with open_target(project(), agent, changing=True) as target:
        if not json_wanted:
            note(target.describe())
        before = pushed_skill(target, name)
        was = before.find(version) if before is not None else None
        ask = current().interactive and not force and not undo
        if ask and not confirm(f"{name} {version} is withdrawn. Go on?"):
            note("nothing was changed")
            return EXIT_INTERRUPTED
        record = target.registry.yank(target.agent, name, version, yanked=not undo)
        if json_wanted:
            place = place_record(target.registry.place)
            facts = {**version_record(record, None), "skill": name, "skillVersion": record.version}
            del facts["live"]
            print_json({**facts, "version": 1, "ok": True, "registry": place, "agent": target.agent})
        else:
            again = "may be deployed, as before" if was is not None and not was.yanked else "may be deployed again"
            say(f"{name} {record.version}  " + ("withdrawn (yanked)" if record.yanked else again))
    return EXIT_OK


def verify_command(
    agent: Agent = None,
    every: Annotated[bool, typer.Option("--all", help="Every agent that is there, not the project's alone.")] = False,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Fetch every version and check that it is what the registry says."""
    from lua_cli.commands.session import note, print_json, progress, project, say
    from lua_cli.commands.target import open_target
    from lua_cli.registry.content import verify
    from lua_cli.report.skills import verified_document, verified_lines

    json_wanted = wants_json(output_format, as_json)
    show = progress()
    with open_target(project(), agent) as target:
        agents = target.registry.agents() if every else (target.agent,)
        verified = verify(target.registry, agents, show)
        show("")
        if json_wanted:
            print_json(verified_document(target.registry.place, verified))
        else:
            note(target.describe())
            say("\n".join(verified_lines(verified)))
    return EXIT_FINDINGS if verified.faults else EXIT_OK


def fetched(target: Target, name: str, version: str) -> tuple[str, OpenedArtifact]:
    """A version ("" for the live one) and its artifact, verified. Raises LuaError for an artifact of another skill."""
    from lua_cli.bundle import open_artifact
    from lua_cli.commands.choosing import pushed_skill
    from lua_cli.commands.skills_diff import resolved_version

    version = resolved_version(pushed_skill(target, name), name, version or "live")
    opened = open_artifact(target.registry.artifact(target.agent, name, version))
    if opened.skill != name:
        raise LuaError(f"{name} {version} is the artifact of another skill, {opened.skill!r}: it is not to be used")
    return version, opened


def fetched_record(target: Target, version: str, opened: OpenedArtifact) -> dict[str, Any]:
    """What was fetched, as JSON data."""
    from lua_cli.report.registry import place_record

    facts = {"skill": opened.skill, "skillVersion": version, "digest": opened.digest, "size": len(opened.content)}
    place = place_record(target.registry.place)
    return {"version": 1, "ok": True, "registry": place, "agent": target.agent, **facts}


def split_wanted(wanted: str) -> tuple[str, str]:
    """NAME@VERSION; a name may hold an @ of its own."""
    name, at, version = wanted.rpartition("@")
    return (name, version) if at and name else (wanted, "")
