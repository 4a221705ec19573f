"""Imports what the tool will need while lua-cli still checks the input. In: module names. Out: nothing, but loaded
modules.

Runs before the request is there, so nothing of the user's is on the path yet. Must not fail: what cannot be imported
here is told by the tool that needs it.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable

WARM = "lua_cli.child.warm"


def import_early(names: Iterable[str]) -> None:
    """Import the modules; of pydantic also what it would load at the first use, of warm.py what it does."""
    for name in names:
        with contextlib.suppress(Exception):  # third-party code may raise anything
            module = importlib.import_module(name)
            if name == "pydantic":
                _ = module.BaseModel, module.TypeAdapter, module.Field
            elif name == WARM:
                module.warm_up(with_pydantic=True)
