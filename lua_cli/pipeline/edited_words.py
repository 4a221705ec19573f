"""Whether an edit of a source touched nothing but what tools are called and what is said of them. In: the text before,
the content now, the source's row (outlines.py). Out: its new row, and the words that changed; None for anything else.
Pure.

A word is a text by itself on a line by itself (`name = "find_order"`): what such a line says can change without the
rest being parsed again.
"""

from __future__ import annotations

from lua_cli.pipeline.edited_lines import is_clean, may_be_local
from lua_cli.pipeline.moving import Moved
from lua_cli.source.decoding import DecodeError, decode

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_QUOTES = ("'", '"')
_LONGEST_NAME = 64


class Parted:
    """A line `name = "find_order"`: `head` stands before the quote, `value` between the two."""

    __slots__ = ("head", "value")

    def __init__(self, head: str, value: str) -> None:
        self.head, self.value = head, value


class Word:
    """A word that changed. `cls` is the class that says it, by its dotted name; columns as people count."""

    __slots__ = ("cls", "column", "end_column", "key", "line", "old", "value")

    def __init__(self, cls: str, key: str, line: int, old: Parted, new: Parted) -> None:
        self.cls, self.key, self.line = cls, key, line
        self.old, self.value = old.value, new.value
        self.column = len(new.head) + 1
        self.end_column = self.column + len(new.value) + 2


def parted(line: str, key: str) -> Parted | None:
    """The parts of a line that gives `key` a plain text, and nothing else."""
    text = line.rstrip(" \t")
    quote = text[-1:]
    head, _, value = text[:-1].partition(quote) if quote in _QUOTES else ("", "", "")
    target, equals = head.strip()[:-1].strip(), head.strip()[-1:]
    name, colon, annotation = target.partition(":")
    if equals != "=" or name.rstrip() != key or head[:1] not in (" ", "\t"):
        return None
    if colon and not all(character.isalnum() or character in "_.[], " for character in annotation):
        return None
    plain = quote not in value and "\\" not in value and value.isprintable()
    return Parted(head, value) if plain else None


def edited_words(
    old_content: bytes, content: bytes, row: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Moved, list[Word]] | None:
    """The new row of a source, where its places are, and the words; `old_content` is what it was when the row was made.
    Raises MovedError for a row that is damaged."""
    if not row.get("words"):
        return None
    try:
        before, after = decode(old_content), decode(content)
    except DecodeError:
        return None
    words = _changed(before.split("\n"), after.split("\n"), row)
    if not words or not _are_clean(before, after, words):
        return None
    from lua_cli.pipeline.bodies import outline_of

    blanks = row["blanks"]
    said = {str(line): [word.value, word.column, word.end_column] for line, word in words}
    moved = Moved((blanks, blanks), (row["inside"], row["inside"]), [word.line for _, word in words])
    new = {**row, "outline": outline_of(content, row).digest, "said": {**row["said"], **said}}
    return new, moved, [word for _, word in words]


def _changed(before: Sequence[str], after: Sequence[str], row: Mapping[str, Any]) -> list[tuple[int, Word]]:
    """The words of the lines that differ, each with its line when the row was made; none when other lines do."""
    differing = [at for at, (old, new) in enumerate(zip(before, after, strict=False), start=1) if old != new]
    if len(before) != len(after) or not 0 < len(differing) <= len(row["words"]):
        return []
    moved = Moved((row["since"] or row["blanks"], row["blanks"]), ([], []))
    where = {moved.line(line): (line, key, cls) for line, key, cls in row["words"]}
    found: list[tuple[int, Word]] = []
    for at in differing:
        first, key, cls = where.get(at, (0, "", ""))
        old, new = parted(before[at - 1], key), parted(after[at - 1], key)
        if old is None or new is None or old.head != new.head or not _is_sound(key, new.value):
            return []
        found.append((first, Word(cls, key, at, old, new)))
    return found


def _is_sound(key: str, value: str) -> bool:
    """Whether a tool can be called so: what else there is to say, the long way says."""
    if key != "name":
        return True
    return 0 < len(value) <= _LONGEST_NAME and value.isascii() and value.replace("_", "a").replace("-", "a").isalnum()


def _are_clean(before: str, after: str, words: Sequence[tuple[int, Word]]) -> bool:
    """Whether no word, old or new, is a secret or leads to this machine."""
    values = [value for _, word in words for value in (word.old, word.value)]
    if any(map(may_be_local, values)):
        return False
    return is_clean(before, [word.old for _, word in words]) and is_clean(after, [word.value for _, word in words])
