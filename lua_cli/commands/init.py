"""`lua init`: a new project from a template."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from lua_cli.scaffold import Scaffolded, Template

_TEMPLATES = "facts-flow, minimal, order-flow, orders, search-docs, shared-base or weather-flow."
SUGGESTED_FOLDER, SUGGESTED_TEMPLATE = "my-agent", "orders"


def init_command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The folder to make.", show_default=False)
    ] = None,
    template: Annotated[str | None, typer.Option("--template", metavar="NAME", help=_TEMPLATES)] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The project's name; the folder's when left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Start a project: one that compiles with no warning and whose tests pass."""
    from lua_cli.commands.session import print_json
    from lua_cli.scaffold import checked_name, name_from_folder, scaffold, template_named

    checked = checked_name(name) if name is not None else None
    chosen = template_named(template) if template is not None else None
    folder, chosen = _complete(folder, chosen)
    made = scaffold(chosen, folder, checked or name_from_folder(folder.resolve().name))
    if as_json:
        print_json(
            {
                "ok": True,
                "path": str(made.root),
                "name": made.name,
                "template": made.template,
                "files": list(made.files),
                "next": _next(folder),
            }
        )
    else:
        _report(made, folder)
    return EXIT_OK


def _complete(folder: Path | None, template: Template | None) -> tuple[Path, Template]:
    """Both answers, asked for on a terminal. Raises UsageError that names what is missing where nobody can be asked."""
    from lua_cli.commands.session import current
    from lua_cli.scaffold import templates

    if not current().interactive:
        missing = [flag for flag, value in (("DIR", folder), ("--template", template)) if value is None]
        if missing:
            names = ", ".join(known.name for known in templates())
            raise UsageError(
                f"missing {' and '.join(missing)}",
                hint=f"lua init {SUGGESTED_FOLDER} --template {SUGGESTED_TEMPLATE} (templates: {names})",
            )
    folder = folder or Path(typer.prompt("Folder", default=SUGGESTED_FOLDER, err=True))
    return folder, template or _ask_template(templates())


def _ask_template(known: tuple[Template, ...]) -> Template:
    from lua_cli.commands.session import note

    width = max(len(template.name) for template in known)
    for number, template in enumerate(known, start=1):
        note(f"  {number}  {template.name.ljust(width)}  {template.description}")
    choices = {key: template for number, template in enumerate(known, start=1) for key in (str(number), template.name)}
    while True:
        answer = typer.prompt("Template", default=SUGGESTED_TEMPLATE, err=True).strip()
        if answer in choices:
            return choices[answer]
        note(f"a name, or a number from 1 to {len(known)}")


def _report(made: Scaffolded, folder: Path) -> None:
    from lua_cli.commands.session import say

    say(f"Created {made.name} in {folder} from the template {made.template} ({len(made.files)} files)")
    say()
    say("Next:")
    for line in _next(folder):
        say(f"  {line}")


def _next(folder: Path) -> list[str]:
    """What to type next, from the folder in which `lua init` was typed."""
    import shlex

    enter = [] if folder.resolve() == Path.cwd() else [f"cd {shlex.quote(str(folder))}"]
    return [*enter, "lua compile", "lua test", "lua push all"]
