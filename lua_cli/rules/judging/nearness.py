"""Names that are nearly those that the product knows. In: a name, the known ones. Out: the one that was probably meant.

`inputSchema` is `input_schema` as other languages write it. A name that holds a known one as a word of its own
(`pre_execute`, `description_de`) is another name, and so is its plural.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_CUTOFF = 0.82


def meant(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; None for one that is known, and for one of its own."""
    options = tuple(known)
    if name in options:
        return None
    for option in options:
        if _bare(name) == _bare(option):
            return option
    same = [option for option in options if sorted(name) == sorted(option)]
    near = same or difflib.get_close_matches(name, options, n=1, cutoff=_CUTOFF)
    return near[0] if near and not _is_another(name, near[0]) else None


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _is_another(name: str, option: str) -> bool:
    words, own = name.split("_"), option.split("_")
    longer = len(words) > len(own) and any(words[at : at + len(own)] == own for at in range(len(words)))
    return longer or name == f"{option}s"
