"""report/: results → text. In: the document of a compile (plain JSON data) and the sources it points into. Out: a
string.

`build_document` makes the document once; `render` turns it into any format, also when it comes out of a cache, so
that a format never needs the analysis again. Nothing here judges, prints or reads the environment.
"""

from lua_cli.report.json_document import build_document, diagnostic_from_record, diagnostic_record
from lua_cli.report.render import FORMATS, render, rendered
from lua_cli.report.sources import Sources, disk_sources
from lua_cli.report.stream import PLAIN, StreamFacts

__all__ = [
    "FORMATS",
    "PLAIN",
    "Sources",
    "StreamFacts",
    "build_document",
    "diagnostic_from_record",
    "diagnostic_record",
    "disk_sources",
    "render",
    "rendered",
]
