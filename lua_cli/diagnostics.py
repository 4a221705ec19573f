"""What there is to say about the user's source, as plain data. Imports nothing of lua_cli.

Rules make diagnostics, `report/` renders them, `rules/fixes.py` applies their fixes. Lines and columns count from 1;
columns count
characters (code points), and `end_column` is the column after the last character.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lua_cli.records import field, record

Severity = Literal["error", "warning"]


@record(frozen=True, order=True)
class Place:
    """A span in a file. `path` is relative to the project's root, with forward slashes (absolute when outside of
    it)."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


@record(frozen=True)
class Edit:
    """Replace the text of `place` by `text` (an empty span inserts)."""

    place: Place
    text: str


@record(frozen=True)
class Fix:
    """A change that removes the cause. `title` says what it does, as an imperative: "Call the class"."""

    title: str
    edits: tuple[Edit, ...]


@record(frozen=True)
class Related:
    """Another place that explains the diagnostic."""

    place: Place
    message: str


@record(frozen=True)
class Finding:
    """Something that a stage came upon: the rule of that code turns it into a diagnostic.

    code   the rule's id, e.g. "lua/unresolved-import"
    facts  what the rule's message needs, by name (each rule's module says which); values are str
    """

    code: str
    place: Place
    facts: Mapping[str, str] = field(default_factory=dict)
    related: tuple[tuple[Place, str], ...] = ()


@record(frozen=True)
class Diagnostic:
    """One thing to say. `code` is the rule's id (`lua/not-a-tool`), `help` the way out in one sentence.

    Errors block bundling and cannot be silenced; warnings can, by `# lua: ignore[code]` on their first line or in
    `[tool.lua]`.
    """

    code: str
    severity: Severity
    message: str
    place: Place
    help: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()

    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order of printing: by place, then code, then words, so that output never depends on the order of judging."""
        return (self.place.path, self.place.line, self.place.column, self.code, self.message)
