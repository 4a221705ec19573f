"""Chooses the renderer of a format. In: the document, a format, the sources, the stream's facts. Out: the text to
print.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import UsageError
from lua_cli.report.sources import Sources, disk_sources
from lua_cli.report.stream import PLAIN, StreamFacts

if TYPE_CHECKING:
    from lua_cli.diagnostics import Diagnostic

FORMATS = ("text", "concise", "json", "github", "sarif")


def render(
    document: Mapping[str, Any],
    output_format: str,
    *,
    root: Path,
    colour: bool = False,
    encoding: str = "utf-8",
    prefix: str = "",
) -> str:
    """The document in one of FORMATS, for a stream of that encoding, with the sources below `root` (see
    StreamFacts).
    """
    return rendered(document, output_format, disk_sources(root), StreamFacts(colour, encoding, prefix))


def rendered(document: Mapping[str, Any], output_format: str, sources: Sources, facts: StreamFacts = PLAIN) -> str:
    """The document in one of FORMATS; ends with a newline unless it is empty."""
    if output_format == "json":
        return _json(document, facts)
    diagnostics = _diagnostics(document)
    if output_format == "text":
        from lua_cli.report.text import render_text

        return render_text(document, diagnostics, sources, facts)
    if output_format == "concise":
        from lua_cli.report.concise import render_concise

        return render_concise(diagnostics, facts)
    if output_format == "github":
        from lua_cli.report.github import render_github

        return render_github(diagnostics, facts)
    if output_format == "sarif":
        from lua_cli.report.sarif import render_sarif

        return render_sarif(diagnostics, sources, facts.prefix)
    raise UsageError(f"no output format {output_format!r}", hint="one of: " + ", ".join(FORMATS))


def _diagnostics(document: Mapping[str, Any]) -> list[Diagnostic]:
    if not document["diagnostics"]:
        return []
    from lua_cli.report.json_document import diagnostic_from_record

    return [diagnostic_from_record(record) for record in document["diagnostics"]]


def _json(document: Mapping[str, Any], facts: StreamFacts) -> str:
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    try:
        text.encode(facts.encoding)
    except UnicodeEncodeError:  # a stream that cannot say it, or half a surrogate in the name of a file
        return json.dumps(document, ensure_ascii=True, indent=1) + "\n"
    return text
