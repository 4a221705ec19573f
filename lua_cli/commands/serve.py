"""`lua serve` hosts the registry's HTTP API; `lua serve keys` makes, lists and revokes its keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.options import AsJson
from lua_cli.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from lua_cli.server.keys import KeyRecord

serve_app = typer.Typer(invoke_without_command=True, rich_markup_mode=None, add_completion=False)
keys_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, add_completion=False)
serve_app.add_typer(keys_app, name="keys", help="Keys of the server: create, list, revoke.")

DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database-url",
        metavar="URL",
        envvar="LUA_DATABASE_URL",
        show_envvar=True,
        help="Such as postgresql+psycopg://lua@host/lua; else a SQLite file in your data folder.",
        show_default=False,
    ),
]
_MEBIBYTE = 1024 * 1024


@serve_app.callback()
def serve_command(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 takes a free one.")] = 8321,
    database_url: DatabaseUrl = None,
    blobs: Annotated[
        str | None,
        typer.Option("--blobs", metavar="URL", help="Keep contents in s3://bucket/prefix, not in the database."),
    ] = None,
    public_url: Annotated[
        str, typer.Option("--public-url", metavar="URL", help="The address that clients see, behind a proxy.")
    ] = "",
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate chain (PEM).")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its private key (PEM).")] = None,
    rate: Annotated[float, typer.Option("--rate", help="Requests a second for each key.", min=1)] = 100.0,
    reserve: Annotated[int, typer.Option("--reserve", metavar="MIB", help="Space that stays free.", min=0)] = 64,
) -> int:
    """Host the registry's HTTP API for a team."""
    if context.invoked_subcommand is not None:
        return EXIT_OK
    _require_extra()
    import sys

    from lua_cli.commands.session import note, say_piece
    from lua_cli.registry.network import is_address
    from lua_cli.server.app import make_app
    from lua_cli.server.keys import list_keys
    from lua_cli.server.limits import Limits
    from lua_cli.server.running import bind, run
    from lua_cli.server.state import open_state

    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key go together", hint="name both, or neither")
    tls = (tls_cert, tls_key) if tls_cert and tls_key else None
    for option, file in zip(("--tls-cert", "--tls-key"), tls or (), strict=False):
        if not file.is_file():
            raise UsageError(f"{option} {file} is no file", hint="name a file in the PEM format")
    if public_url and not is_address(public_url):
        raise UsageError(f"--public-url {public_url[:200]!r} is no address", hint="such as https://lua.example.com")
    state = open_state(_url(database_url), blobs, reserve=reserve * _MEBIBYTE, public_url=public_url)
    try:
        with state.database.reading() as tx:
            usable = any(key.revoked is None for key in list_keys(tx))
        if not usable:
            note("no key opens this server yet: lua serve keys create --agent ID")
        note(f"database {state.database.where}, contents in {state.blobs.where}")
        # The address at once, also into a pipe: whoever started the server waits for it.
        run(make_app(state, Limits(rate=rate)), bind(host, port), lambda line: say_piece(f"{line}\n"), sys.stderr, tls)
    finally:
        state.close()
    return EXIT_OK


@keys_app.command("create")
def create_command(
    name: Annotated[str, typer.Option("--name", help="What it is for; shown as the author of pushes.")] = "",
    agent: Annotated[
        list[str] | None, typer.Option("--agent", metavar="ID", help="For this agent (repeatable); else for every.")
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", metavar="S", help="read, push, deploy or data (repeatable); else all."),
    ] = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Make a key. It is printed now and never again."""
    _require_extra()
    from lua_cli.commands.session import note, print_json, say
    from lua_cli.server.keys import create_key

    with _database(database_url) as database:
        record, secret = database.write(lambda tx: create_key(tx, name, agent or (), scope or ()))
    if as_json:
        print_json({"version": 1, "ok": True, **_record(record), "secret": secret})
    else:
        note(f"key {record.id} for {_agents(record)} ({', '.join(record.scopes)}); it is shown only now:")
        say(secret)
    return EXIT_OK


@keys_app.command("list")
def list_command(database_url: DatabaseUrl = None, as_json: AsJson = False) -> int:
    """List the keys, without their secrets."""
    _require_extra()
    from lua_cli.commands.session import print_json, say
    from lua_cli.report.registry import table
    from lua_cli.server.keys import list_keys

    with _database(database_url) as database, database.reading() as tx:
        found = list_keys(tx)
    if as_json:
        print_json({"version": 1, "ok": True, "keys": [_record(key) for key in found]})
        return EXIT_OK
    rows = [
        (key.id, key.name, f"{key.hint}…", _agents(key), " ".join(key.scopes), key.created, key.revoked or "-")
        for key in found
    ]
    say(
        "\n".join(table(("ID", "NAME", "KEY", "AGENTS", "SCOPES", "CREATED", "REVOKED"), rows) if rows else ["no keys"])
    )
    return EXIT_OK


@keys_app.command("revoke")
def revoke_command(
    key: Annotated[str, typer.Argument(metavar="ID", help="The id of the key.", show_default=False)],
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> int:
    """Withdraw a key: from now on it opens nothing."""
    _require_extra()
    from lua_cli.commands.session import print_json, say
    from lua_cli.server.keys import revoke_key

    with _database(database_url) as database:
        record = database.write(lambda tx: revoke_key(tx, key))
    if as_json:
        print_json({"version": 1, "ok": True, **_record(record)})
    else:
        say(f"key {record.id} ({record.name}) is revoked since {record.revoked}")
    return EXIT_OK


def _require_extra() -> None:
    import importlib.util

    for package in ("sqlalchemy", "starlette", "uvicorn", "prometheus_client"):
        if importlib.util.find_spec(package) is None:
            raise UsageError(f"lua serve needs the package {package}", hint="pip install 'lua-cli[serve]'")


def _url(named: str | None) -> str:
    """The database: named, or the server's own file in the data folder."""
    import os

    from lua_cli.registry.place import data_folder

    return named or f"sqlite:///{data_folder(os.environ) / 'server.db'}"


def _database(named: str | None) -> Any:
    import contextlib

    from lua_cli.server.database import open_database

    return contextlib.closing(open_database(_url(named)))


def _agents(key: KeyRecord) -> str:
    return ", ".join(key.agents) or "every agent"


def _record(key: KeyRecord) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "hint": key.hint,
        "agents": list(key.agents) or None,
        "scopes": list(key.scopes),
        "created": key.created,
        "revoked": key.revoked,
    }
