"""`--format concise`: one line a diagnostic, `path:line:column: severity[code] message`, and nothing when there is
none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lua_cli.report.stream import Paint, StreamFacts, fit, painter

if TYPE_CHECKING:
    from lua_cli.diagnostics import Diagnostic

SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow"}


def render_concise(diagnostics: Iterable[Diagnostic], facts: StreamFacts) -> str:
    paint = painter(facts)
    return "".join(headline(diagnostic, facts, paint) + "\n" for diagnostic in diagnostics)


def headline(diagnostic: Diagnostic, facts: StreamFacts, paint: Paint) -> str:
    """The line that names a diagnostic; editors and terminals turn its beginning into a link."""
    place, severity = diagnostic.place, diagnostic.severity
    where = fit(f"{place.path}:{place.line}:{place.column}", facts)
    label = paint(f"{severity}[{diagnostic.code}]", SEVERITY_STYLE[severity])
    message = " ".join(fit(diagnostic.message, facts).split("\n"))
    return f"{paint(where, 'bold')}: {label} {message}"
