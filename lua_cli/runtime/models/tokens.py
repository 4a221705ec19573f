"""How many tokens a text is, about. In: text. Out: a number. An estimate: providers count differently, and none of
their counters works offline. A token for four characters of ASCII, and one for each other character.
"""

from __future__ import annotations


def estimate(text: str) -> int:
    """About how many tokens."""
    ascii_characters = sum(1 for character in text if character.isascii())
    return -(-ascii_characters // 4) + len(text) - ascii_characters
