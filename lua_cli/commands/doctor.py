"""`lua doctor`: what this machine has of what lua-cli needs, and where each value comes from. Names are shown, never
values.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli._version import __version__
from lua_cli.commands.options import AsJson, Format, wants_json
from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, AuthError, ForbiddenError, LuaError, NotFoundError

if TYPE_CHECKING:
    from lua_cli.project import Project

_NAMES = ("lua", "lua-cli", "heylua")


def doctor_command(
    env_file: Annotated[
        Path | None, typer.Option("--env-file", metavar="FILE", help="Count its variables, too.", show_default=False)
    ] = None,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """Say what is installed, which registry answers, and where each variable comes from."""
    from lua_cli.commands.session import print_json, project, say

    json_wanted = wants_json(output_format, as_json)
    troubles: list[str] = []
    try:
        found: Project | None = project()
    except NotFoundError as error:
        found = None
        troubles.append(_words(error))
    facts: dict[str, Any] = {
        "cli": __version__,
        "python": {"path": sys.executable, "version": ".".join(map(str, sys.version_info[:3]))},
        "commands": [_command(name) for name in _NAMES],
        "sandbox": shutil.which("bwrap"),
        "registry": _registry(found, troubles),
        "project": _project(found) if found else None,
        "variables": list(_variables(found, env_file, troubles)) if found else [],
    }
    if json_wanted:
        print_json({"version": 1, "ok": not troubles, **facts, "troubles": troubles})
    else:
        say("\n".join(_lines(facts, troubles)))
    return EXIT_FINDINGS if troubles else EXIT_OK


def _command(name: str) -> dict[str, Any]:
    """Which program a name starts, and whether it is this one."""
    path = shutil.which(name)
    return {"name": name, "path": path, "ours": path is not None and _is_ours(Path(path))}


def _is_ours(path: Path) -> bool:
    """Whether it is the script that an installation of this package makes: it imports `lua_cli`."""
    try:
        head = path.read_bytes()[:4096]
    except OSError:
        return False
    return b"lua_cli" in head


def _registry(found: Project | None, troubles: list[str]) -> dict[str, Any]:
    from lua_cli.commands.target import open_remote
    from lua_cli.project.credentials import chosen_address
    from lua_cli.registry.place import registry_file

    address = ""
    try:
        address = chosen_address(os.environ)
        if not address:
            return {"kind": "embedded", "where": str(registry_file(os.environ)), "answers": True}
        with open_remote(address, found) as remote:
            agents = [agent.id for agent in remote.me().agents]
    except LuaError as error:
        troubles.append(_words(error))
        refused = isinstance(error, AuthError | ForbiddenError)  # somebody is there, and says no
        return {"kind": "http", "where": address or os.environ.get("LUA_API_URL", ""), "answers": refused}
    return {"kind": "http", "where": address, "answers": True, "agents": agents}


def _project(found: Project) -> dict[str, Any]:
    interpreter = found.interpreter
    return {
        "root": str(found.root),
        "entry": found.relative(found.entry),
        "python": str(interpreter.executable),
        "pythonVersion": ".".join(map(str, interpreter.version)),
        "why": interpreter.why,
    }


def _variables(found: Project, env_file: Path | None, troubles: list[str]) -> Iterator[dict[str, Any]]:
    """Each variable that a skill reads: which place gives it, the first one that does."""
    from lua_cli.child.environment import value_places
    from lua_cli.pipeline import compile_project

    try:
        places = value_places(found.root, env_file=env_file)
        built = compile_project(found)
    except LuaError as error:
        troubles.append(_words(error))
        return
    if not built.ok:
        troubles.append("the project does not compile (`lua compile` says why)")
    reads: dict[str, dict[str, Any]] = {}
    for artifact in built.artifacts.values():
        for read in artifact.manifest["envReads"]:
            known = reads.setdefault(read["name"], {"optional": True, "place": read["place"]})
            known["optional"] = known["optional"] and read["optional"]
    for name, read in sorted(reads.items()):
        source = next((place for place, values in places.items() if name in values), None)
        if source is None and not read["optional"]:
            troubles.append(f"{name} is set nowhere, and {read['place']} reads it without a default")
        yield {"name": name, "from": source, **read}


def _lines(facts: Mapping[str, Any], troubles: list[str]) -> Iterator[str]:
    yield f"lua-cli    {facts['cli']}  (Python {facts['python']['version']}, {facts['python']['path']})"
    for command in facts["commands"]:
        where = command["path"] or "not on the PATH"
        other = "" if command["ours"] or not command["path"] else "  (another program)"
        yield f"{command['name']:<9}  {where}{other}"
    registry = facts["registry"]
    yield f"registry   {registry['kind']} ({registry['where']}){'' if registry['answers'] else '  does not answer'}"
    yield f"sandbox    {facts['sandbox'] or 'no bwrap on the PATH: `--sandbox` needs bubblewrap'}"
    if facts["project"]:
        project = facts["project"]
        yield f"project    {project['root']} ({project['entry']})"
        yield f"python     {project['pythonVersion']}  {project['python']} ({project['why']})"
    for variable in facts["variables"]:
        source = variable["from"] or ("not set; it has a default" if variable["optional"] else "not set")
        yield f"variable   {variable['name']}  {source}  (read at {variable['place']})"
    for trouble in troubles:
        yield f"! {trouble}"


def _words(error: LuaError) -> str:
    return f"{error.message}{f'; {error.hint}' if error.hint else ''}"
