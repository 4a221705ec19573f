"""`--format sarif`: SARIF 2.1.0, for code scanning services. In: diagnostics and sources. Out: one JSON document.

Paths are relative to the project (`%SRCROOT%`); columns count code points; fingerprints stay when lines move.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from lua_cli._version import __version__
from lua_cli.diagnostics import Diagnostic, Fix, Place
from lua_cli.report.sources import Sources
from lua_cli.rules import find_rule
from lua_cli.rules.judging.fingerprint import fingerprints
from lua_cli.rules.judging.pages import markdown_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "luaDiagnostic/v1"


def render_sarif(diagnostics: Sequence[Diagnostic], sources: Sources, prefix: str = "") -> str:
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    positions = {code: position for position, code in enumerate(codes)}
    results = [
        _result(diagnostic, positions[diagnostic.code], digest, prefix)
        for diagnostic, digest in zip(diagnostics, fingerprints(diagnostics, sources), strict=True)
    ]
    driver = {"name": "lua-cli", "version": __version__, "rules": [_rule(code) for code in codes]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(code: str) -> dict[str, Any]:
    rule = find_rule(code)
    if rule is None:
        return {"id": code}
    name = "".join(part.capitalize() for part in code.partition("/")[2].split("-"))
    return {
        "id": code,
        "name": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.title},
        "help": {"text": rule.page.strip(), "markdown": markdown_of(rule)},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(diagnostic: Diagnostic, position: int, digest: str, prefix: str) -> dict[str, Any]:
    text = diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else "")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": position,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(diagnostic.place, prefix)}],
        "partialFingerprints": {FINGERPRINT: digest},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(related.place, prefix), "message": {"text": related.message}}
            for related in diagnostic.related
        ]
    if diagnostic.fix:
        result["fixes"] = [_fix(diagnostic.fix, prefix)]
    return result


def _fix(fix: Fix, prefix: str) -> dict[str, Any]:
    edits = sorted(fix.edits, key=lambda edit: edit.place)
    changes = [
        {
            "artifactLocation": _artifact(path, prefix),
            "replacements": [
                {"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}} for edit in group
            ],
        }
        for path, group in groupby(edits, key=lambda edit: edit.place.path)
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _location(place: Place, prefix: str) -> dict[str, Any]:
    return {"artifactLocation": _artifact(place.path, prefix), "region": _region(place)}


def _artifact(path: str, prefix: str) -> Mapping[str, str]:
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute():
        return {"uri": "file:///" + quote(path.lstrip("/"), safe="/:")}
    return {"uri": quote(f"{prefix}/{path}" if prefix else path), "uriBaseId": "%SRCROOT%"}


def _region(place: Place) -> Mapping[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
