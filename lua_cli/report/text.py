"""`--format text`: each diagnostic with its code frame, help, related places and fix; then a summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.report.concise import headline
from lua_cli.report.frame import frame
from lua_cli.report.sources import Sources
from lua_cli.report.stream import Paint, StreamFacts, fit, painter

if TYPE_CHECKING:
    from lua_cli.diagnostics import Diagnostic


def render_text(
    document: Mapping[str, Any], diagnostics: Sequence[Diagnostic], sources: Sources, facts: StreamFacts
) -> str:
    paint = painter(facts)
    blocks = ["\n".join(_block(diagnostic, sources, facts, paint)) for diagnostic in diagnostics]
    return "\n\n".join([*blocks, _summary(document, diagnostics, paint)]) + "\n"


def _block(diagnostic: Diagnostic, sources: Sources, facts: StreamFacts, paint: Paint) -> Iterable[str]:
    yield headline(diagnostic, facts, paint)
    secret = diagnostic.code in ("lua/secret-in-source", "lua/secret-in-bundle")
    yield from frame(diagnostic.place, diagnostic.severity, sources, facts, paint, secret=secret)
    if diagnostic.help:
        yield f"{paint('hint', 'bold cyan')}: {fit(diagnostic.help, facts)}"
    for related in diagnostic.related:
        place = related.place
        where = fit(f"{place.path}:{place.line}:{place.column}", facts)
        yield f"{paint('see', 'bold blue')}: {where}: {fit(related.message, facts)}"
    if diagnostic.fix:
        yield f"{paint('fix', 'bold green')}: {fit(diagnostic.fix.title, facts)} (lua compile --fix)"


def _summary(document: Mapping[str, Any], diagnostics: Sequence[Diagnostic], paint: Paint) -> str:
    errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    warnings = len(diagnostics) - errors
    if not diagnostics:
        skills, tools = _count(len(document["skills"]), "skill"), _count(len(document["tools"]), "tool")
        return f"{paint('Fine', 'bold green')}: {skills}, {tools}, nothing to say"
    parts = [_count(number, word) for number, word in ((errors, "error"), (warnings, "warning")) if number]
    fixable = sum(diagnostic.fix is not None for diagnostic in diagnostics)
    note = f" ({fixable} fixable with `lua compile --fix`)" if fixable else ""
    return paint(f"Found {' and '.join(parts)}", "bold red" if errors else "bold yellow") + note


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
