"""Loads what every skill would load for itself when it is looked at: the SDK, pydantic, and what that imports late, at
the first model (its plugins, `importlib.metadata` to find them) and at the first schema. In: nothing. Out: loaded
modules.

Also imported by its name while it is not yet known what there is to look at (early.py); nothing of the user's is on the
path then.
"""

from __future__ import annotations

import contextlib
from typing import Literal


def warm_up(*, with_pydantic: bool) -> None:
    """Load it. Without pydantic, a tool that needs it says so."""
    import lua_cli.sdk.tool  # noqa: F401

    if with_pydantic:
        with contextlib.suppress(Exception):  # of pydantic, or of one of its plugins: the first model says the same
            _first_model()


def _first_model() -> None:
    import pydantic

    from lua_cli.child.generator import Generator

    class Warm(pydantic.BaseModel):
        text: str = pydantic.Field(description="", min_length=1)
        number: int | None = None
        kind: Literal["a", "b"] = "a"
        rows: list[dict[str, float]] = []

    pydantic.TypeAdapter(Warm).json_schema(schema_generator=Generator)
