"""Baselines: the warnings that an old project has, so that only new ones are said.

In: diagnostics, a baseline file. Out: the diagnostics that are new; or the file's text. A warning is recognised by its
code, file and line of source (see fingerprint.py), so it stays known when lines move. Errors are never in a baseline.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from lua_cli.diagnostics import Diagnostic
from lua_cli.errors import NotFoundError, UsageError
from lua_cli.rules.judging.fingerprint import fingerprints

VERSION = 1

Sources = Callable[[str], str | None]


def baseline_text(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """The file that makes these warnings known; sorted, so that it changes little in version control."""
    entries = [
        {"code": diagnostic.code, "path": diagnostic.place.path, "fingerprint": digest}
        for diagnostic, digest in zip(diagnostics, fingerprints(diagnostics, sources), strict=True)
        if diagnostic.severity == "warning"
    ]
    entries.sort(key=lambda entry: (entry["path"], entry["code"], entry["fingerprint"]))
    return json.dumps({"version": VERSION, "warnings": entries}, indent=1) + "\n"


def read_baseline(path: Path) -> Counter[str]:
    """The fingerprints of a baseline file. Raises NotFoundError and UsageError."""
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["version"] != VERSION:
            raise UsageError(f"{path} is a baseline of another version of lua", hint=_MAKE_ANEW)
        return Counter(str(entry["fingerprint"]) for entry in document["warnings"])
    except FileNotFoundError as error:
        raise NotFoundError(f"no baseline file {path}", hint=_MAKE_ANEW) from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is not a baseline file", hint=_MAKE_ANEW) from error


def beyond_baseline(diagnostics: Sequence[Diagnostic], known: Counter[str], sources: Sources) -> list[Diagnostic]:
    """The diagnostics that the baseline does not know: all errors, and new warnings."""
    left = Counter(known)
    new = []
    for diagnostic, digest in zip(diagnostics, fingerprints(diagnostics, sources), strict=True):
        if diagnostic.severity == "warning" and left[digest]:
            left[digest] -= 1
        else:
            new.append(diagnostic)
    return new


_MAKE_ANEW = "make one with `lua compile --write-baseline FILE`"
