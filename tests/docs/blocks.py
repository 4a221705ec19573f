"""Fenced blocks of Markdown pages.

The word after the fence is the language. What may follow it:

    title="PATH"   the block is a file of a project; the files of one page lie over the orders template
    bad            the block shows what not to do: it only has to be syntactically right
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PAGES = (
    REPOSITORY / "README.md",
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "CHANGELOG.md",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
)

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^\n]*)\n(?P<text>.*?)^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block: `line` is that of its first line of text; `title` is "" without one."""

    page: Path
    line: int
    language: str
    title: str
    bad: bool
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    source = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(source):
        language, _, rest = match["info"].partition(" ")
        title = re.fullmatch(r'title="([^"]+)"', rest)
        assert title or rest in ("", "bad"), f"{page.name}: unknown words after a fence: {rest!r}"
        line = source.count("\n", 0, match.start("text")) + 1
        found.append(Block(page, line, language, title[1] if title else "", rest == "bad", match["text"]))
    return found


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))
