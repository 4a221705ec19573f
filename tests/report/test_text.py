"""What people read: whole outputs of the text and concise formats."""

from __future__ import annotations

import re

from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.report import PLAIN, StreamFacts, rendered
from tests.report.samples import SOURCES, STYLE, UNCALLED, document


def text(*diagnostics: Diagnostic, facts: StreamFacts = PLAIN, sources: dict[str, str] = SOURCES) -> str:
    return rendered(document(*diagnostics), "text", sources.get, facts)


def test_a_diagnostic_with_everything() -> None:
    assert text(UNCALLED) == (
        "agent.py:6:12: error[lua/not-a-tool] Search is the class, not a tool\n"
        "  |\n"
        '5 |     name="docs",\n'
        "6 |     tools=[Search],\n"
        "  |            ^^^^^^\n"
        "7 | )\n"
        "hint: write `Search()`\n"
        "see: tools.py:1:7: the class\n"
        "fix: Call the class: `Search()` (lua compile --fix)\n"
        "\n"
        "Found 1 error (1 fixable with `lua compile --fix`)\n"
    )


def test_carets_stand_under_tabs_and_wide_characters() -> None:
    assert text(STYLE).splitlines()[1:5] == [
        "  |",
        "1 | class Search:",
        '2 |     name = "größe", "検索", x',
        "  |                     ^^^^^^",
    ]


def test_a_terminal_without_the_characters_gets_escapes_under_which_carets_still_fit() -> None:
    shown = text(STYLE, facts=StreamFacts(encoding="ascii"))
    shown.encode("ascii")
    assert shown.splitlines()[0] == r'tools.py:2:18: warning[lua/tool-name-style] the tool name "gr\xf6\xdfe" is odd'
    source, carets = shown.splitlines()[3:5]
    assert source[carets.index("^") : carets.rindex("^") + 1] == r'"\u691c\u7d22"'


def test_control_characters_of_a_source_never_reach_the_terminal() -> None:
    evil = Diagnostic("lua/x", "error", "a\x1b[2Jb", Place("a.py", 1, 5, 1, 6))
    shown = text(evil, sources={"a.py": "x = '\x1b[2J\u202e'\n"})
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"a\x1b[2Jb" in shown


def test_a_span_of_several_lines_is_cut() -> None:
    lines = "".join(f"line{number}\n" for number in range(1, 21))
    spanning = Diagnostic("lua/x", "warning", "m", Place("a.py", 9, 1, 16, 4))
    assert text(spanning, sources={"a.py": lines}).splitlines()[1:11] == [
        "   |",
        " 8 | line8",
        " 9 | line9",
        "   | ^^^^^",
        "10 | line10",
        "   | ^^^^^^",
        "11 | line11",
        "   | ^^^^^^",
        "12 | line12",
        "   | ^^^^^^",
    ]


def test_a_very_long_line_is_shown_around_the_place() -> None:
    line = "x = [" + "'" + "a" * 5000 + "'" + ", Search]"
    column = line.index("Search") + 1
    shown = text(Diagnostic("lua/x", "error", "m", Place("a.py", 1, column, 1, column + 6)), sources={"a.py": line})
    source, carets = shown.splitlines()[2:4]
    assert len(source) < 200
    assert source[carets.index("^") : carets.rindex("^") + 1] == "Search"


def test_without_its_source_a_diagnostic_has_no_frame() -> None:
    gone = Diagnostic("lua/x", "error", "m", Place("gone.py", 3, 1, 3, 2))
    beyond = Diagnostic("lua/x", "error", "m", Place("agent.py", 300, 1, 300, 2))
    assert text(gone, beyond) == ("gone.py:3:1: error[lua/x] m\n\nagent.py:300:1: error[lua/x] m\n\nFound 2 errors\n")


def test_the_last_line_says_that_all_is_well() -> None:
    assert text() == "Fine: 1 skill, 0 tools, nothing to say\n"


def test_colour_changes_nothing_but_colour() -> None:
    plain = text(UNCALLED, STYLE)
    coloured = text(UNCALLED, STYLE, facts=StreamFacts(colour=True))
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_concise_is_one_line_each() -> None:
    two_lines = Diagnostic("lua/x", "error", "one\ntwo", Place("a.py", 1, 1, 1, 1))
    assert rendered(document(UNCALLED, two_lines), "concise", SOURCES.get) == (
        "agent.py:6:12: error[lua/not-a-tool] Search is the class, not a tool\na.py:1:1: error[lua/x] one two\n"
    )
    assert rendered(document(), "concise", SOURCES.get) == ""


def test_a_secret_is_never_shown() -> None:
    found = Diagnostic("lua/secret-in-source", "warning", "m", Place("a.py", 1, 6, 1, 12))
    shown = text(found, sources={"a.py": "x = 'sk-123'\n"})
    assert "sk-123" not in shown
    assert "x = '******'" in shown
