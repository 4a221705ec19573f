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
from lua_cli.source.outline import outline
from lua_cli.source.parsing import ParseError, parse
from lua_cli.source.reads import read
from lua_cli.source.secrets import secrets_in


def same_outline(content: bytes, row: Mapping[str, Any]) -> tuple[Mapping[str, Any], Moved] | None:
    """The new row of a source whose outline is what it was."""
    try:
        text = decode(content)
        tree = parse(text)
    except (DecodeError, ParseError):
        return None
    if not compiles(text) or any(secrets_in(text)):
        return None
    found = outline(text, bodies_of(tree, text), read(tree, text), row["kept"])
    if found.digest != row["outline"]:
        return None
    moved = Moved((row["blanks"], found.blanks), (row["inside"], found.inside))
    return {**row, "blanks": found.blanks, "inside": found.inside}, moved
