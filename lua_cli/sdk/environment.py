"""env(): the environment variables that a tool needs."""

from __future__ import annotations

import os
from typing import overload


@overload
def env(name: str) -> str: ...
@overload
def env(name: str, default: str) -> str: ...
def env(name: str, default: str | None = None) -> str:
    """The value of the environment variable `name`, else `default`.

    Read with a literal name, so that the compiler can put the name into the artifact's manifest: in a run, a tool sees
    no other
    variables. Raises KeyError, saying what to set, when the variable is not set and there is no default.
    """
    value = os.environ.get(name, default)
    if value is None:
        raise KeyError(f"the environment variable {name} is not set (put it into .env, or pass --env-file)")
    return value
