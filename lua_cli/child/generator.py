"""pydantic's schema generator, set so that its output is the same on every run and every validator can read it.

Imported only where pydantic is.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema


class Generator(GenerateJsonSchema):
    """Differences: a set as a default comes sorted (its order changes with the hash seed); a Decimal has no pattern
    (some versions of pydantic write a look-around into it, which providers and validators in Rust refuse).
    """

    def encode_default(self, dft: Any) -> Any:
        """A default value as JSON."""
        plain = super().encode_default(dft)
        if isinstance(dft, set | frozenset) and isinstance(plain, list):
            return sorted(plain, key=lambda item: json.dumps(item, sort_keys=True, default=str))
        return plain

    def decimal_schema(self, schema: Any) -> Any:
        """A number, or its digits as text."""
        plain = super().decimal_schema(schema)
        for option in plain.get("anyOf", ()):
            option.pop("pattern", None)
        return plain
