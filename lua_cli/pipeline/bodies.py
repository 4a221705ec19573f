"""Whether an edit of a source touched nothing but bodies of functions that decided nothing, told by its outline: the
whole of it, as edited_lines.py tells it of most edits by their lines alone. In: the content, the source's row
(outlines.py). Out: its new row and where its places are, or None. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lua_cli.pipeline.edited_lines import compiles
from lua_cli.pipeline.moving import Moved
from lua_cli.source.decoding import DecodeError, decode
from lua_cli.source.function_bodies import bodies_of
from lua_cli.source.outline import Outline, outline
from lua_cli.source.parsing import ParseError, parse
from lua_cli.source.reads import read
from lua_cli.source.secrets import secrets_in


def same_outline(content: bytes, row: Mapping[str, Any]) -> tuple[Mapping[str, Any], Moved] | None:
    """The new row of a source whose outline is what it was."""
    try:
        text = decode(content)
        found = _outline(text, row)
    except (DecodeError, ParseError):
        return None
    if found.digest != row["outline"] or not compiles(text) or any(secrets_in(text)):
        return None
    moved = Moved((row["blanks"], found.blanks), (row["inside"], found.inside))
    return {**row, "blanks": found.blanks, "inside": found.inside}, moved


def outline_of(content: bytes, row: Mapping[str, Any]) -> Outline:
    """The outline of a source in which the bodies count that did before. Raises DecodeError, ParseError."""
    return _outline(decode(content), row)


def _outline(text: str, row: Mapping[str, Any]) -> Outline:
    tree = parse(text)
    return outline(text, bodies_of(tree, text), read(tree, text), row["kept"])
