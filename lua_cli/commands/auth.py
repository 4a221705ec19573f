"""`lua auth`: which registry commands use, and the key for it. A key is never an argument: arguments are seen by
others.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from lua_cli.errors import EXIT_OK, LuaError, NotFoundError, UnavailableError, UsageError

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.project.credentials import Key

auth_app = typer.Typer(
    help="Log in to a registry over HTTP.", rich_markup_mode=None, add_completion=False, no_args_is_help=True
)

Url = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The registry's address; else LUA_API_URL, else the platform's."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_LONGEST_KEY = 4096


@auth_app.command("configure")
def configure_command(
    url: Url = None,
    from_stdin: Annotated[bool, typer.Option("--api-key-stdin", help="Read the key from stdin.")] = False,
    keyring: Annotated[bool, typer.Option("--keyring", help="Keep it in the system's keyring.")] = False,
    as_json: AsJson = False,
) -> int:
    """Store a key, and use that registry from now on."""
    from lua_cli.commands.session import note, print_json, say
    from lua_cli.project.credentials import CREDENTIALS_FILE, KEY_VARIABLE, Key, checked_key, config_folder, store_key

    address = _address(url)
    secret = _secret(from_stdin, address)
    said = _tried(address, checked_key(Key(secret, "what was typed")))
    folder = config_folder(os.environ)
    store_key(folder, address, secret, keyring=keyring)
    where = "the system's keyring" if keyring else str(folder / CREDENTIALS_FILE)
    if as_json:
        print_json({"ok": True, "registry": address, "stored": where, "checked": not said})
        return EXIT_OK
    if said:
        note(f"the key could not be tried: {said}")
    if os.environ.get(KEY_VARIABLE):
        note(f"{KEY_VARIABLE} is set and goes before the stored key")
    say(f"key for {address} stored in {where}")
    note("commands use this registry from now on; LUA_API_URL=embedded or `lua auth logout` for the embedded one")
    return EXIT_OK


@auth_app.command("logout")
def logout_command(url: Url = None, as_json: AsJson = False) -> int:
    """Forget a key; the embedded registry is used again."""
    from lua_cli.commands.session import print_json, say
    from lua_cli.project.credentials import config_folder, forget_key

    address = _address(url)
    forgotten = forget_key(config_folder(os.environ), address)
    if as_json:
        print_json({"ok": True, "registry": address, "forgotten": forgotten})
    else:
        say(f"the key for {address} was forgotten" if forgotten else f"no key for {address} is stored")
    return EXIT_OK


@auth_app.command("whoami")
def whoami_command(as_json: AsJson = False) -> int:
    """Say which registry is used, whose key it is, and what it may do."""
    from lua_cli.commands.session import print_json, say
    from lua_cli.commands.target import open_remote
    from lua_cli.project.credentials import chosen_address

    address = chosen_address(os.environ)
    if not address:
        if as_json:
            print_json({"ok": True, "registry": "embedded"})
        else:
            say("the embedded registry: no account, no key")
        return EXIT_OK
    with open_remote(address, _project_if_any()) as remote:
        me = remote.me()
    if as_json:
        listed = [{"id": agent.id, "name": agent.name} for agent in me.agents]
        facts = {"agents": listed, "everyAgent": me.every_agent, "scopes": me.scopes}
        print_json({"version": 1, "ok": True, "registry": address, "key": me.key, **facts})
    else:
        agents = ", ".join(f"{agent.id} ({agent.name})" if agent.name else agent.id for agent in me.agents)
        for name, value in (("registry", address), ("key", me.key), ("agents", agents), ("may", ", ".join(me.scopes))):
            say(f"{name:<8}  {value or '-'}")
    return EXIT_OK


def _address(url: str | None) -> str:
    """The address that is meant: `--url`, else the one in use, else the platform's."""
    from lua_cli.project.credentials import PLATFORM, chosen_address, normal_address

    return normal_address(url, "--url") if url is not None else chosen_address(os.environ) or PLATFORM


def _secret(from_stdin: bool, address: str) -> str:
    from lua_cli.commands.session import current

    if from_stdin:
        return sys.stdin.readline(_LONGEST_KEY).strip()
    if not current().interactive:
        raise UsageError(
            "missing --api-key-stdin", hint=f"lua auth configure --url {address} --api-key-stdin < key.txt"
        )
    return str(typer.prompt(f"API key for {address}", hide_input=True, err=True)).strip()


def _tried(address: str, key: Key) -> str:
    """Why the key could not be tried, "" when it was and is good. Raises AuthError and ForbiddenError for one that is
    not.
    """
    from lua_cli.registry.http import HttpRegistry

    try:
        with HttpRegistry(address, key) as remote:
            remote.me()
    except (UnavailableError, NotFoundError) as error:
        return error.message
    return ""


def _project_if_any() -> Project | None:
    from lua_cli.commands.session import project

    try:
        return project()
    except LuaError:
        return None
