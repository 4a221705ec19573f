"""The model of a conversation. In: what the command line and the agent name. Out: a `Model`, or an error that says how
to go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lua_cli.errors import UsageError
from lua_cli.runtime.turns.model import Model

SCRIPTED = "scripted:"
OFFLINE = "offline, a script plays the model: --model scripted:FILE.json"


def choose_model(asked: str | None, agents: str | None, environ: Mapping[str, str], folder: Path) -> Model:
    """The model that is asked for, else the agent's, else LUA_MODEL's. Paths of scripts are relative to `folder`.

    Raises UsageError when none is named, NotFoundError and UsageError for a script that cannot be played, AuthError
    without a key.
    """
    name = asked or agents or environ.get("LUA_MODEL")
    if not name:
        raise UsageError(
            "no model is named: neither --model, nor the agent's `model`, nor LUA_MODEL",
            hint=f"--model provider/model, with the provider's key in the environment; {OFFLINE}",
        )
    if name.startswith(SCRIPTED):
        from lua_cli.runtime.models.scripted import Scripted, read_script

        return Scripted(read_script(folder / name.removeprefix(SCRIPTED)))
    from lua_cli.runtime.models.provider import open_provider

    return open_provider(name, environ)
