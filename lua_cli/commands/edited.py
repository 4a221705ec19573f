"""`lua compile` of a project that is known, after an edit of function bodies that decided nothing: the build is brought
up to date, and what was said of it is said again with the new digests.

In: the project as it was, the format. Out: what to print and the exit code, or None: then the long way answers. Must
not import more than `pipeline/afresh.py` does before it is certain that there is an answer.
"""

from __future__ import annotations

from lua_cli.pipeline.afresh import Fresh, after_edit

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from lua_cli.pipeline.at_once import Known


def after_edit_said(
    known: Known, differing: Sequence[str], chosen: str, name: str, *, ci: bool
) -> tuple[str, Fresh] | None:
    """What to print in a format of a project whose stamps differ, and the build that it is said of: to be kept under
    `name` when it is printed.
    """
    fresh = after_edit(known, differing)
    if fresh is None:
        return None
    said = _again(fresh, name) if chosen == "text" else None
    return said if said is not None else _anew(known.root, fresh.applied.answer(), chosen, ci=ci), fresh


def _again(fresh: Fresh, name: str) -> str | None:
    """The text of the last build with the new digests, where nothing else of it can have changed."""
    from lua_cli.commands.built import built_text

    before, document = fresh.applied.before, fresh.applied.document
    said = fresh.said_before(name)
    if said is None or before["diagnostics"] != document["diagnostics"]:
        return None
    moves = {one.shown: one.moved for one in fresh.applied.edited}
    for one in document["diagnostics"]:  # the frame of each shows a line before it and one after
        if one["path"] in moves and moves[one["path"]].holds(one["line"] - 1, one["endLine"] + 1):
            return None
    head = built_text(before)
    return built_text(document) + said[len(head) :] if said.startswith(head) else None


def _anew(root: str, document: Mapping[str, Any], chosen: str, *, ci: bool) -> str:
    from pathlib import Path

    from lua_cli.commands.compiled import shown_as
    from lua_cli.commands.session import begin, current

    if current().ci != ci:
        begin(["compile", *(["--ci"] if ci else [])])  # decides about colours
    return shown_as(Path(root), document, chosen)
