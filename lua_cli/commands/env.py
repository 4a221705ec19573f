"""`lua env`: the variables of a place, `sandbox` (the project's .env) or `production` (the agent's, at the registry).

Only this command changes them: a push moves code alone. Names are shown, values only when that is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.options import Agent, AsJson, DryRun, Force, Format, wants_json
from lua_cli.errors import EXIT_INTERRUPTED, EXIT_OK, UsageError

if TYPE_CHECKING:
    from lua_cli.commands.variables import Change, Place

_PLACES = {"sandbox": "sandbox", "staging": "sandbox", "production": "production"}
_LONGEST_VALUE = 64 * 1024


def env_command(
    environment: Annotated[
        str | None,
        typer.Argument(
            metavar="sandbox|production",
            help="sandbox (or staging): the project's .env. production: the agent's, at the registry.",
            show_default=False,
        ),
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List them (the default).")] = False,
    key: Annotated[str | None, typer.Option("-k", "--key", metavar="NAME", help="The variable to set.")] = None,
    value: Annotated[
        str | None, typer.Option("-v", "--value", metavar="VALUE", help="Its value; without, it is asked for.")
    ] = None,
    from_stdin: Annotated[bool, typer.Option("--value-stdin", help="Read the value from stdin.")] = False,
    delete: Annotated[bool, typer.Option("-d", "--delete", help="Remove the variable instead.")] = False,
    from_file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Set all variables of a file such as .env.", show_default=False),
    ] = None,
    show_values: Annotated[bool, typer.Option("--show-values", help="List the values, too.")] = False,
    agent: Agent = None,
    dry_run: DryRun = False,
    force: Force = False,
    output_format: Format = "text",
    as_json: AsJson = False,
) -> int:
    """List and change environment variables: of the project, or of the agent."""
    from lua_cli.commands.session import note

    as_json = wants_json(output_format, as_json)
    name = _environment(environment)
    sources = [given for given in (value is not None, from_stdin, delete) if given]
    if from_file is not None and (key is not None or sources):
        raise UsageError("--from sets all variables of a file", hint=f"lua env {name} --from {from_file}")
    if key is None and sources:
        raise UsageError("which variable? missing -k", hint=f"lua env {name} -k NAME")
    if len(sources) > 1:
        raise UsageError("only one of -v, --value-stdin and -d", hint=f"lua env {name} -k {key} --value-stdin")
    changing = key is not None or from_file is not None
    if show_list and changing:
        raise UsageError("--list changes nothing", hint=f"lua env {name} --list")
    with _place(name, agent, changing=changing) as place:
        if not as_json:
            note(place.describe())
        if not changing:
            return _listed(place, show_values=show_values, as_json=as_json)
        wanted = _wanted(name, key, value, from_file, from_stdin=from_stdin, delete=delete)
        return _changed(place, wanted, dry_run=dry_run, force=force, as_json=as_json)


def _environment(given: str | None) -> str:
    """The place that is meant. Raises UsageError where it is not said and nobody can be asked: a script that means
    production says so.
    """
    from lua_cli.commands.choosing import choose
    from lua_cli.commands.session import current

    if given is None:
        if not current().interactive:
            raise UsageError("missing environment: sandbox or production", hint="lua env sandbox --list")
        return choose("Environment", ["sandbox", "production"])
    if given not in _PLACES:
        raise UsageError(f"there is no environment {given!r}", hint="one of sandbox (or staging), production")
    return _PLACES[given]


@contextmanager
def _place(name: str, agent: str | None, *, changing: bool) -> Iterator[Place]:
    from lua_cli.commands.session import project
    from lua_cli.commands.target import open_target
    from lua_cli.commands.variables import FilePlace, RegistryPlace
    from lua_cli.pipeline import compile_project
    from lua_cli.registry.http import HttpRegistry

    target_project = project()
    if name == "sandbox":
        yield FilePlace(target_project.root / ".env", target_project.output)
        return
    document = compile_project(target_project, until="analysis").document
    with open_target(target_project, agent, document, changing=changing) as target:
        if not isinstance(target.registry, HttpRegistry):
            raise UsageError(
                "the embedded registry holds no variables: tools here run with those of the shell and of .env",
                hint="lua env sandbox --list; or name a server: LUA_API_URL, `lua auth configure`",
            )
        yield RegistryPlace(target, target.registry)


def _wanted(
    environment: str, key: str | None, value: str | None, from_file: Path | None, *, from_stdin: bool, delete: bool
) -> Mapping[str, str | None]:
    """The values to set; None for a variable that goes."""
    from lua_cli.commands.variables import checked_variable
    from lua_cli.project.envfile import written_values

    if from_file is not None:
        return {checked_variable(name): text for name, text in written_values(from_file).items()}
    name = checked_variable(key or "")
    if delete:
        return {name: None}
    given = _value(environment, name, from_stdin=from_stdin) if value is None else value
    if not given.isprintable() and any("\ud800" <= c <= "\udfff" for c in given):
        raise UsageError(f"the value of {name} is not UTF-8", hint=f"lua env {environment} -k {name} --value-stdin")
    if len(given) > _LONGEST_VALUE:
        raise UsageError(f"the value of {name} has more than {_LONGEST_VALUE // 1024} KiB", hint="put it into a file")
    return {name: given}


def _value(environment: str, name: str, *, from_stdin: bool) -> str:
    """The value from stdin, without its last line end, or as the person at the terminal types it, without an echo."""
    from lua_cli.commands.session import current

    if from_stdin:
        try:
            text = sys.stdin.buffer.read(4 * _LONGEST_VALUE + 2).decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"the value of {name} is not UTF-8 (byte {error.start})") from None
        return text.removesuffix("\n").removesuffix("\r")
    if not current().interactive:
        raise UsageError(f"missing value of {name}", hint=f"lua env {environment} -k {name} --value-stdin")
    return str(typer.prompt(f"value of {name}", hide_input=True, err=True))


def _listed(place: Place, *, show_values: bool, as_json: bool) -> int:
    from lua_cli.commands.session import note, print_json, say

    values = place.values()
    if as_json:
        shown = [{"name": name, **({"value": values[name]} if show_values else {})} for name in sorted(values)]
        print_json({"version": 1, "ok": True, **place.record(), "variables": shown})
    elif values:
        shown_values = (f"{name}={values[name]}" if show_values else name for name in sorted(values))
        say("\n".join("".join(c if c.isprintable() else repr(c)[1:-1] for c in line) for line in shown_values))
    else:
        note("no variables are set there")
    return EXIT_OK


def _changed(place: Place, wanted: Mapping[str, str | None], *, dry_run: bool, force: bool, as_json: bool) -> int:
    """Show what changes, ask where somebody loses a value, and change it."""
    from lua_cli.commands.choosing import confirm
    from lua_cli.commands.session import current, note, print_json, say
    from lua_cli.commands.variables import change_lines, changes

    found = changes(place, wanted)
    moving = [change for change in found if change.action != "unchanged"]
    losing = [change.name for change in moving if change.action in ("changed", "removed")]
    lines = change_lines(found)
    if not dry_run and moving and not force and place.shared:
        if current().interactive and not as_json:
            note("\n".join(lines))
            if not confirm(f"{_counted(moving)} of {place.where}. Go on?"):
                note("nothing was changed")
                return EXIT_INTERRUPTED
        elif losing:
            raise UsageError(
                f"{', '.join(losing)}: {place.where} would lose the present value", hint="add --force if that is meant"
            )
    if not dry_run and moving:
        place.change({change.name: wanted[change.name] for change in moving})
    if as_json:
        shown: list[dict[str, Any]] = [{"name": change.name, "action": change.action} for change in found]
        print_json({"version": 1, "ok": True, **place.record(), "dryRun": dry_run, "changes": shown})
    else:
        say("\n".join(lines))
    return EXIT_OK


def _counted(moving: list[Change]) -> str:
    return "one variable changes" if len(moving) == 1 else f"{len(moving)} variables change"
