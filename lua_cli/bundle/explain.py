"""Why everything in a bundle is there. In: a draft. Out: plain data for `lua compile --explain-bundle`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lua_cli.bundle.model import Draft


def explain_bundle(draft: Draft) -> dict[str, Any]:
    """For each file why it is in, for each package where its pins came from, for each variable who reads it."""
    return {
        "skill": draft.skill,
        "files": [
            {
                "path": file.name,
                "source": file.source,
                "kind": file.kind,
                "size": file.packed.size,
                "reason": file.reason,
            }
            for file in draft.files
        ],
        "packages": [
            {
                "imports": requirement.imports,
                "distribution": requirement.distribution or None,
                "pins": list(requirement.pins),
                "pinnedFrom": requirement.pinned_from or None,
                "reason": f"imported by {requirement.place}",
            }
            for requirement in draft.requires
        ],
        "lock": {"file": draft.lock.file, "sha256": draft.lock.sha256} if draft.lock else None,
        "env": [{"name": use.name, "optional": use.optional, "readBy": list(use.places)} for use in draft.env_uses],
        "python": draft.python or None,
    }
