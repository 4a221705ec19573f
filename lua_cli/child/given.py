"""What a tool takes, and why that cannot be told: values that load.py, schema.py and annotations.py share. Imports
nothing that a tool with a JSON Schema has no use for.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Input(NamedTuple):
    """What a tool takes.

    kind     "schema": `given` is a JSON Schema; "type": `given` is a type that pydantic reads; "open": any object
    come_from "input_schema", "annotation" or ""
    """

    kind: str
    given: Any
    come_from: str


class SchemaError(Exception):
    """A schema that cannot be had. `hint` says what to change; `at` is (file, line) where that is known."""

    def __init__(self, message: str, hint: str | None = None, at: tuple[str, int] | None = None) -> None:
        super().__init__(message)
        self.message, self.hint, self.at = message, hint, at
