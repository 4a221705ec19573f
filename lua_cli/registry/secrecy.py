"""What must not be pushed: an artifact that holds a secret. In: built artifacts. Out: nothing, or a refusal that shows
where, never what.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lua_cli.bundle import find_secrets
from lua_cli.bundle.model import BuiltArtifact
from lua_cli.errors import LuaError


def refuse_secrets(artifacts: Iterable[BuiltArtifact], allowed: Collection[str] = ()) -> None:
    """Raises LuaError (exit 1) for artifacts with secrets whose fingerprints are not in `allowed`."""
    found = [
        f"{artifact.skill}: {name}:{secret.line}: {secret.kind} (fingerprint {secret.fingerprint})"
        for artifact in artifacts
        for name, secrets in find_secrets(artifact.open().files).items()
        for secret in secrets
        if secret.fingerprint not in allowed
    ]
    if found:
        raise LuaError(
            "the artifact holds what looks like a secret, and whoever gets it would have it: " + "; ".join(found),
            hint='revoke it and read the new one with env("NAME"); what is none can be pushed with '
            "--allow-secret FINGERPRINT",
        )
