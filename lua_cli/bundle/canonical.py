"""The one form of a manifest and of a digest: equal contents are equal bytes. Pure.

Apart from manifest.py, whose checks load `re` and `json`: after an edit this is all that is needed.
"""

from __future__ import annotations

from lua_cli.digests import sha256_hex
from lua_cli.plain_json import dumps

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MANIFEST_NAME = "manifest.json"
_SCHEMA_KEYS = ("inputSchema", "outputSchema")


def digest_of(content: bytes) -> str:
    """How a digest is written everywhere: "sha256:" and 64 hexadecimal digits."""
    return f"sha256:{sha256_hex(content)}"


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """The canonical form: UTF-8 JSON without spaces, keys sorted, no NaN.

    Inside of the tools' schemas the order of keys stays: it is the order of fields, and a language model reads it.
    """
    return dumps(_sorted(manifest), compact=True, ascii_only=False).encode("utf-8")


def _sorted(value: Any) -> Any:
    if hasattr(value, "keys"):
        return {key: value[key] if key in _SCHEMA_KEYS else _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value
