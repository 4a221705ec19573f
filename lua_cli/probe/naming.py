"""Names of an artifact's members → names that the user knows. In: text of a child, a mapping. Out: the text."""

from __future__ import annotations

import re
from collections.abc import Mapping


def in_project(text: str, sources: Mapping[str, str]) -> str:
    """`text` with each member's name as the project has it."""
    if not text or not sources:
        return text
    names = "|".join(re.escape(member) for member in sorted(sources, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.-])(?:{names})(?![\w/-])", lambda found: sources[found[0]], text)
