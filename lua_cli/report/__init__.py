"""report/: results → text. In: the document of a compile (plain JSON data) and the sources it points into. Out: a
string.

`build_document` makes the document once; `render` turns it into any format, also when it comes out of a cache, so
that a format never needs the analysis again. Nothing here judges, prints or reads the environment.
"""

from typing import TYPE_CHECKING

from lua_cli.report.render import FORMATS, render, rendered
from lua_cli.report.sources import Sources, disk_sources
from lua_cli.report.stream import PLAIN, StreamFacts

if TYPE_CHECKING:
    from lua_cli.report.json_document import build_document, diagnostic_from_record, diagnostic_record

else:

    def __getattr__(name: str) -> object:
        """What makes documents, when it is asked for: one that is there and has nothing to say is shown without."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from lua_cli.report import json_document

        return getattr(json_document, name)


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
