"""Secrets in the bytes of an artifact. In: files by name. Out: where they are, never what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lua_cli.source.secrets import Secret


def find_secrets(files: Mapping[str, bytes]) -> dict[str, tuple[Secret, ...]]:
    """The secrets of each file that has some. A push refuses one whose fingerprint is not allowed."""
    from lua_cli.source.secrets import secrets_in

    found = {name: tuple(secrets_in(files[name].decode("utf-8", errors="replace"), name)) for name in sorted(files)}
    return {name: secrets for name, secrets in found.items() if secrets}
