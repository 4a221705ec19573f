"""report/: results → text. In: the document of a compile (plain JSON data) and the sources it points into. Out: a
string.

`build_document` makes the document once; `render` turns it into any format, also when it comes out of a cache, so
that a format never needs the analysis again. Nothing here judges, prints or reads the environment.
"""

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from lua_cli.report.json_document import build_document, diagnostic_from_record, diagnostic_record
    from lua_cli.report.rendering import FORMATS, render, rendered
    from lua_cli.report.sources import Sources, disk_sources
    from lua_cli.report.stream import PLAIN, StreamFacts

else:
    _WHERE = {
        **dict.fromkeys(("build_document", "diagnostic_from_record", "diagnostic_record"), "json_document"),
        **dict.fromkeys(("FORMATS", "render", "rendered"), "rendering"),
        **dict.fromkeys(("Sources", "disk_sources"), "sources"),
        **dict.fromkeys(("PLAIN", "StreamFacts"), "stream"),
    }

    def __getattr__(name: str) -> object:
        """What is asked for, when it is: who makes a document renders nothing, and the other way round."""
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        globals()[name] = found
        return found


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
