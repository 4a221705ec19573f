"""What identifies a diagnostic across edits: its code, file and line of source, not the line's number.

In: diagnostics in their order, and the sources. Out: one digest each; equal ones in a file are numbered from the top.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable

from lua_cli.diagnostics import Diagnostic


def fingerprints(diagnostics: Iterable[Diagnostic], sources: Callable[[str], str | None]) -> list[str]:
    """The digest of each diagnostic, in order. They stay when lines are added or removed elsewhere in the file."""
    seen: Counter[tuple[str, str, str]] = Counter()
    lines: dict[str, list[str]] = {}
    digests = []
    for diagnostic in diagnostics:
        path, number = diagnostic.place.path, diagnostic.place.line
        if path not in lines:
            lines[path] = (sources(path) or "").split("\n")
        source = " ".join(lines[path][number - 1].split()) if 0 < number <= len(lines[path]) else ""
        key = (diagnostic.code, path, source)
        seen[key] += 1
        digests.append(
            hashlib.sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        )
    return digests
