"""The typer application: which commands there are. Each is one file of this package, thin, with heavy imports in its
body.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.exceptions import Abort, TyperException

from lua_cli._version import __version__
from lua_cli.commands.auth import auth_app
from lua_cli.commands.chat import chat_command
from lua_cli.commands.compile import compile_command
from lua_cli.commands.deploy import deploy_command, rollback_command
from lua_cli.commands.doctor import doctor_command
from lua_cli.commands.env import env_command
from lua_cli.commands.explain import explain_command
from lua_cli.commands.export import export_app
from lua_cli.commands.flow import flow_app
from lua_cli.commands.fuzz import fuzz_command
from lua_cli.commands.gates import gates_command
from lua_cli.commands.init import init_command
from lua_cli.commands.mcp import mcp_command
from lua_cli.commands.mistakes import meant
from lua_cli.commands.prompt import prompt_command
from lua_cli.commands.push import push_command
from lua_cli.commands.serve import serve_app
from lua_cli.commands.skills import skills_app
from lua_cli.commands.status import status_command
from lua_cli.commands.test import test_app
from lua_cli.errors import EXIT_INTERRUPTED, UsageError

app = typer.Typer(
    name="lua",
    help="Compile, lint, test, push and deploy the skills of AI agents.",
    epilog="--ci and --project DIR may stand anywhere. Docs: `lua explain CODE` prints a rule's page.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"], "terminal_width": 88},
)


def _print_version(wanted: bool) -> None:
    """`main` answers a plain `lua --version` itself; this one is for the help, and beside other options."""
    if wanted:
        typer.echo(f"lua-cli {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_print_version)
    ] = False,
) -> None:
    """Compile, lint, test, push and deploy the skills of AI agents."""


app.command("init")(init_command)
app.command("compile")(compile_command)
app.add_typer(test_app, name="test")
app.command("fuzz")(fuzz_command)
app.command("chat")(chat_command)
app.command("prompt")(prompt_command)
app.command("gates")(gates_command)
app.command("mcp")(mcp_command)
app.add_typer(export_app, name="export")
app.command("push")(push_command)
app.command("deploy")(deploy_command)
app.command("rollback")(rollback_command)
app.add_typer(skills_app, name="skills")
app.command("status")(status_command)
app.command("doctor")(doctor_command)
app.command("env")(env_command)
app.add_typer(flow_app, name="flow")
app.add_typer(auth_app, name="auth")
app.add_typer(serve_app, name="serve")
app.command("explain")(explain_command)


def command() -> Any:
    """The click command behind the application."""
    return typer.main.get_command(app)


def invoke(args: list[str]) -> int:
    """Run one command line without the global flags. Raises UsageError for one that cannot be understood."""
    try:
        code = command().main(args, prog_name="lua", standalone_mode=False)
    except TyperException as error:
        raise _explained(error, args) from error
    except Abort:
        return EXIT_INTERRUPTED
    return code if isinstance(code, int) else 0


def _explained(error: TyperException, args: list[str]) -> UsageError:
    """What is wrong with a command line, and what to type."""
    path, there = _path_of(args)
    message = error.format_message().rstrip(".")
    if message.startswith("Usage:"):  # of commands alone, without one of them
        return UsageError(f"`{path}` needs a command", hint=f"one of: {', '.join(there)}; see `{path} --help`")
    instead = meant(args)
    if instead:
        return UsageError(message, hint=f"did you mean `{instead}`?")
    wrong = next((word for word in args[len(path.split()) - 1 :] if not word.startswith("-")), "")
    if message == f"No such command {wrong!r}":
        near = get_close_matches(wrong, there, n=1)
        known = f"did you mean `{path} {near[0]}`?" if near else f"there are: {', '.join(there)}"
        return UsageError(message, hint=known)
    more = "`lua skills` lists the tools; " if message == "Missing argument 'TOOL'" else ""
    return UsageError(message, hint=f"{more}see `{path} --help`")


def _path_of(args: list[str]) -> tuple[str, list[str]]:
    """The command that a command line gets to, and the commands below it."""
    words, group = ["lua"], command()
    for arg in args:
        below = getattr(group, "commands", {}).get(arg)
        if below is None:
            break
        words.append(arg)
        group = below
    return " ".join(words), list(getattr(group, "commands", {}))


def help_text() -> str:
    """What `lua --help` prints. `_help.txt` holds a copy, so that typer need not be imported for it; a test keeps
    them equal.
    """
    root = command()
    return str(root.get_help(root.context_class(root, info_name="lua", terminal_width=88))) + "\n"
