"""The code frame under a diagnostic: a line of context on both sides, line numbers, carets under the span.

Carets stand under the right place with tabs, wide characters and escapes, since both lines are measured as they are
shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lua_cli.report.sources import Sources
from lua_cli.report.stream import Paint, StreamFacts, shown, width

if TYPE_CHECKING:
    from lua_cli.diagnostics import Place, Severity

CONTEXT_LINES = 1
LONGEST_SPAN = 4  # lines of a longer span are cut: the first ones say where it is
WIDEST_LINE = 160

CARET_STYLE = {"error": "bold red", "warning": "bold yellow"}


def frame(
    place: Place, severity: Severity, sources: Sources, facts: StreamFacts, paint: Paint, *, secret: bool = False
) -> Iterator[str]:
    """The lines of the frame; none when the source is not there or the place lies beyond its end.

    With `secret` the place itself is shown as asterisks: reports end up in logs.
    """
    text = sources(place.path)
    lines = text.split("\n") if text is not None else []
    if not 1 <= place.line <= len(lines):
        return
    shown_end = min(place.end_line, place.line + LONGEST_SPAN - 1, len(lines))
    first = max(1, place.line - CONTEXT_LINES)
    last = min(len(lines), shown_end + CONTEXT_LINES) if shown_end == place.end_line else shown_end
    numbers = len(str(last))
    yield paint(" " * numbers + " |", "blue")
    for number in range(first, last + 1):
        line = lines[number - 1].rstrip("\r")
        start, columns = _window(line, place.column if number == place.line else 1)
        if secret and number == place.line:
            columns = _masked(columns, place.column - 1 - start, place.end_column - 1 - start)
        cells = [shown(character, facts) for character in columns]
        yield (paint(f"{number:>{numbers}} |", "blue") + f" {''.join(cells)}").rstrip()
        if place.line <= number <= shown_end:
            marks = _marks(line, place, number, start, cells)
            yield paint(" " * numbers + " |", "blue") + " " + marks[0] + paint(marks[1], CARET_STYLE[severity])


def _window(line: str, column: int) -> tuple[int, str]:
    """The part of a very long line to show: its start (a 0-based column) and its characters."""
    start = max(0, column - 1 - WIDEST_LINE // 2) if len(line) > WIDEST_LINE else 0
    return start, line[start : start + WIDEST_LINE]


def _masked(columns: str, start: int, end: int) -> str:
    return columns[:start] + "*" * len(columns[start:end]) + columns[end:]


def _marks(line: str, place: Place, number: int, start: int, cells: list[str]) -> tuple[str, str]:
    """Spaces and carets for one line of the span."""
    indent = len(line) - len(line.lstrip())
    begin = place.column - 1 if number == place.line else indent
    end = place.end_column - 1 if number == place.end_line else len(line.rstrip())
    begin, end = max(0, begin - start), max(0, end - start)
    before = sum(width(cell) for cell in cells[:begin]) + max(0, begin - len(cells))
    under = sum(width(cell) for cell in cells[begin:end])
    return " " * before, "^" * max(1, under)
