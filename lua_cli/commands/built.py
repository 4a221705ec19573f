"""The artifacts that a compile wrote, as its text names them. In: the document of a compile. Out: lines. Imports
nothing: an edit waits for it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from lua_cli.bundle.document import Document


def built_text(document: Mapping[str, Any] | Document) -> str:
    """One line for each artifact that was written, in columns, and an empty line."""
    rows = [
        (
            skill["name"],
            f"{len(skill['tools'])} tool{'' if len(skill['tools']) == 1 else 's'}",
            skill["artifact"],
            skill["digest"][:19],
        )
        for skill in document["skills"]
        if skill["artifact"] and skill["digest"]
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    lines = ["  ".join([*(row[column].ljust(widths[column]) for column in range(3)), row[3]]) for row in rows]
    return "".join(f"{line}\n" for line in [*lines, ""]) if lines else ""
