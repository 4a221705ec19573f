"""What of each source decided the last build, so that an edit of what decided nothing is known by itself.

In: the index after a compile, the drafts, what the probe saw run. Out: rows, as JSON, for each source that may be
edited in such a way: its outline (source/outline.py), where its bodies are, and the members of artifacts that it is.
A source without a row counted as a whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.pipeline.unchanged import replace_cached

if TYPE_CHECKING:
    from lua_cli.bundle.model import Draft
    from lua_cli.probe.model import SkillSeen
    from lua_cli.project import Project
    from lua_cli.source import SourceIndex

FORMAT = 1


def outlines(
    project: Project, index: SourceIndex, drafts: Iterable[Draft], seen: Mapping[str, SkillSeen]
) -> dict[str, Any]:
    """{"rows": path in the project → {"outline", "kept", "blanks", "inside", "members": [[skill, member], …]},
    "oldest": the Python that sources are held to, or None}."""
    from lua_cli.bundle.syntax import oldest_python

    members: dict[str, list[list[str]]] = {}
    run: dict[str, set[int]] = {}
    untold: set[str] = set()
    for draft in drafts:
        ran = seen[draft.skill].ran if draft.skill in seen else None if draft.tools else {}
        for file in draft.files:
            members.setdefault(file.source, []).append([draft.skill, file.name])
            if ran is None or file.kind != "module":
                untold.add(file.source)
            else:
                run.setdefault(file.source, set()).update(ran.get(file.name, ()))
    rows: dict[str, Any] = {}
    for path in index.read:
        shown = project.relative(path)
        if shown in untold or Path(shown).is_absolute() or path.suffix != ".py":
            continue
        found = index.outline(path, run.get(shown, ()))
        if found is not None and found[0].blanks:
            outline, kept = found
            places = {"blanks": outline.blanks, "inside": outline.inside}
            rows[shown] = {"outline": outline.digest, "kept": kept, **places, "members": members.get(shown, [])}
    return {"rows": rows, "oldest": oldest_python(project.settings.requires_python)}


class Outlines:
    """The rows of outlines.py on disk, in `.lua/cache/outlines.json`: good for one record and one document."""

    def __init__(self, project: Project) -> None:
        self._path = project.output / "cache" / "outlines.json"
        self._document = project.output / "artifacts" / "manifest.json"

    def load(self, record: bytes) -> dict[str, Any] | None:
        """{"rows", "oldest"} where they are for this record and the document that lies there now."""
        try:
            stated, _, body = self._path.read_bytes().partition(b"\n")
            if stated.decode() != _digest(body, record, self._document.read_bytes()):
                return None
            kept = json.loads(body)
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) else None

    def keep(self, kept: Mapping[str, Any], record: bytes) -> None:
        body = json.dumps(kept, separators=(",", ":")).encode()
        replace_cached(self._path, _digest(body, record, self._document.read_bytes()).encode() + b"\n" + body)


def _digest(body: bytes, record: bytes, document: bytes) -> str:
    found = hashlib.sha256(f"{FORMAT}\n".encode())
    for part in (body, record, document):
        found.update(hashlib.sha256(part).digest())
    return found.hexdigest()
