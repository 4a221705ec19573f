"""What must not be pushed: an artifact that holds a secret. In: built artifacts. Out: nothing, or a refusal that shows
where, never what.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from lua_cli.bundle import find_secrets, texts_of
from lua_cli.bundle.model import BuiltArtifact
from lua_cli.errors import LuaError

if TYPE_CHECKING:
    from lua_cli.source.secrets import Secret


def refuse_secrets(artifacts: Iterable[BuiltArtifact], allowed: Collection[str] = ()) -> None:
    """Raises LuaError (exit 1) for artifacts with secrets whose fingerprints are not in `allowed`."""
    found = [
        f"{artifact.skill}: {name}:{secret.line}: {secret.kind} (fingerprint {secret.fingerprint})"
        for artifact in artifacts
        for name, secrets in _found(artifact).items()
        for secret in secrets
        if secret.fingerprint not in allowed
    ]
    if found:
        raise LuaError(
            "the artifact holds what looks like a secret, and whoever gets it would have it: " + "; ".join(found),
            hint='revoke it and read the new one with env("NAME"); what is none can be pushed with '
            "--allow-secret FINGERPRINT",
        )


def _found(artifact: BuiltArtifact) -> dict[str, tuple[Secret, ...]]:
    opened = artifact.open()
    return find_secrets({**texts_of(opened.manifest), **opened.files})
