"""Secrets in the bytes and in the texts of an artifact. In: files by name, a manifest. Out: where they are, never what
they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lua_cli.source.secrets import Secret


def find_secrets(files: Mapping[str, bytes]) -> dict[str, tuple[Secret, ...]]:
    """The secrets of each file that has some. A push refuses one whose fingerprint is not allowed."""
    from lua_cli.source.secrets import secrets_in

    found = {name: tuple(secrets_in(files[name].decode("utf-8", errors="replace"), name)) for name in sorted(files)}
    return {name: secrets for name, secrets in found.items() if secrets}


def texts_of(manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """What a manifest says in words, by a name for it: the skill's and the tools' descriptions, contexts and schemas.
    Models, and whoever may read the registry, see all of it.
    """
    skill, context = manifest["skill"], manifest["skill"]["context"]
    said: dict[str, Any] = {"the description of the skill": skill["description"]}
    said |= (
        {f"the {key} context": text for key, text in context.items()}
        if isinstance(context, Mapping)
        else {"the context": context}
    )
    for tool in manifest["tools"]:
        said[f"the description of {tool['name']}"] = tool["description"]
        said[f"the input schema of {tool['name']}"] = tool.get("inputSchema")
    return {name: _text(value).encode("utf-8", "replace") for name, value in said.items() if value}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
