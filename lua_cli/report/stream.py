"""What an output stream can show, as plain data, and how text is made fit for it.

Colours come from rich, which is imported only when the stream takes colour.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from lua_cli.records import record

TAB_WIDTH = 4

Paint = Callable[[str, str], str]


@record(frozen=True)
class StreamFacts:
    """colour: ANSI styles are wanted · encoding: the stream's · prefix: the project's folder in the repository, for
    tools that resolve paths from the repository's root (GitHub annotations)."""

    colour: bool = False
    encoding: str = "utf-8"
    prefix: str = ""


PLAIN = StreamFacts()


def painter(facts: StreamFacts) -> Paint:
    """A function (text, rich style) → text with the style's escape codes, or unchanged where colour is not wanted."""
    if not facts.colour:
        return lambda text, _style: text
    from rich.color import ColorSystem
    from rich.style import Style

    return lambda text, style: Style.parse(style).render(text, color_system=ColorSystem.STANDARD) if text else text


def fit(text: str, facts: StreamFacts) -> str:
    """`text` with tabs as spaces, and with control characters and what the encoding lacks as escapes. Line ends
    stay.
    """
    return "".join(character if character == "\n" else shown(character, facts) for character in text)


def shown(character: str, facts: StreamFacts) -> str:
    """How one character of a source is shown: a tab as spaces, a control character or one that the encoding lacks as
    an escape.
    """
    if character == "\t":
        return " " * TAB_WIDTH
    if not character.isprintable() and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return escape(character)
    try:
        character.encode(facts.encoding)
    except UnicodeEncodeError:
        return escape(character)
    return character


def escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def width(text: str) -> int:
    """Columns that `text` takes on a terminal: wide characters two, combining ones none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
