"""`--format github`: workflow commands, one a diagnostic, which GitHub shows on the changed lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath, PureWindowsPath

from lua_cli.diagnostics import Diagnostic
from lua_cli.report.stream import StreamFacts


def render_github(diagnostics: Iterable[Diagnostic], facts: StreamFacts) -> str:
    return "".join(_command(diagnostic, facts.prefix) + "\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic, prefix: str) -> str:
    place = diagnostic.place
    outside = PurePosixPath(place.path).is_absolute() or PureWindowsPath(place.path).is_absolute()
    path = f"{prefix}/{place.path}" if prefix and not outside else place.path
    properties = {"title": diagnostic.code, "file": path, "line": place.line, "endLine": place.end_line}
    if place.line == place.end_line:  # GitHub drops an annotation that has columns and spans lines
        properties |= {"col": place.column, "endColumn": max(place.column, place.end_column)}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    message = diagnostic.message + (f"\nhint: {diagnostic.help}" if diagnostic.help else "")
    return f"::{diagnostic.severity} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
