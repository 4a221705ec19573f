"""libcst's readings of a module's statements. In: their texts, by number, and what `ast` reads there. Out: facts
without places, by number, of those that it reads differently; what it cannot read is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from lua_cli.source import ir
from lua_cli.source.grafting import equal

Statements = Mapping[int, tuple[str, ir.Stmt]]


def readings_of(texts: Mapping[int, str]) -> dict[int, ir.Stmt]:
    """All in one parse; one by one where that is not to be had."""
    if not texts:
        return {}
    from lua_cli.source.cst import UnreadableError, read  # libcst: only where something is not known yet

    try:
        together = read("\n".join(texts.values()))
        if len(together) == len(texts):
            return dict(zip(texts, together, strict=True))
    except UnreadableError:
        pass
    out: dict[int, ir.Stmt] = {}
    for at, text in texts.items():
        try:
            reading = read(text)
        except UnreadableError:
            continue
        if len(reading) == 1:
            out[at] = reading[0]
    return out


def differing(statements: Statements) -> dict[int, ir.Stmt]:
    """Those of the readings that are not the same as the other reader's."""
    readings = readings_of({at: text for at, (text, _) in statements.items()})
    return {at: reading for at, reading in readings.items() if not equal(reading, statements[at][1])}
