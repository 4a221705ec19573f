"""Suppressions, settings, selection and baselines: what silences what, and what never does."""

from __future__ import annotations

import pytest

from lua_cli.analysis import analyse
from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic, Place
from lua_cli.errors import NotFoundError, UsageError
from lua_cli.project import open_project
from lua_cli.rules import Choice, judge, say
from lua_cli.rules.fixes import plan_fixes, write_fixes
from lua_cli.rules.judging.baseline import baseline_text, beyond_baseline, read_baseline
from lua_cli.source import SourceIndex
from tests.rules.projects import HEAD, WriteProject, agent, judged, lines, tool


def style(comment: str = "", extra: str = "") -> dict[str, str]:
    """A project with one warning (tool-name-style), whose line ends with `comment`."""
    return {"agent.py": HEAD + tool("Tool", f"'FindIt'{comment}") + extra + agent("Tool()")}


def codes(found: list[Diagnostic]) -> list[str]:
    return [f"{diagnostic.code.removeprefix('lua/')} {diagnostic.severity}" for diagnostic in found]


@pytest.mark.parametrize("code", ["tool-name-style", "lua/tool-name-style", " tool-name-style , lua/unused-tool "])
def test_a_comment_silences_its_line(write_project: WriteProject, code: str) -> None:
    found = judged(write_project(style(f"  # lua: ignore[{code}]")))
    assert codes(found) == (["unused-suppression warning"] if "," in code else [])


def test_a_comment_on_another_line_does_not(write_project: WriteProject) -> None:
    found = judged(write_project(style(extra="# lua: ignore[tool-name-style]\n")))
    assert codes(found) == ["tool-name-style warning", "unused-suppression warning"]


def test_errors_cannot_be_silenced(write_project: WriteProject) -> None:
    files = {"agent.py": HEAD + tool("Tool", "'a b'  # lua: ignore[tool-name-invalid]") + agent("Tool()")}
    found = judged(write_project(files))
    assert codes(found) == ["tool-name-invalid error", "unused-suppression warning"]
    assert found[1].message == "`lua/tool-name-invalid` is an error here and cannot be silenced"


@pytest.mark.parametrize(
    ("comment", "message", "left"),
    [
        ("# lua: ignore[unused-tool]", "`lua/unused-tool` has nothing to say on this line", ""),
        ("# lua: ignore[tool-name-stile]", "there is no rule `lua/tool-name-stile`", ""),
        ("# lua: ignore", "this comment names no rule and silences nothing", ""),
        (
            "# noqa: E501  # lua: ignore[unused-tool]",
            "`lua/unused-tool` has nothing to say on this line",
            "  # noqa: E501",
        ),
        ("# lua: ignore[unused-tool]  # noqa", "`lua/unused-tool` has nothing to say on this line", "  # noqa"),
        ("# lua: ignore[unused-tool] since it is old", "`lua/unused-tool` has nothing to say on this line", ""),
    ],
)
def test_a_useless_comment_is_reported_and_removed(
    write_project: WriteProject, comment: str, message: str, left: str
) -> None:
    root = write_project({"agent.py": HEAD + tool("Tool", f"'find_it'  {comment}") + agent("Tool()")})
    (found,) = judged(root)
    assert (found.code, found.message) == ("lua/unused-suppression", message)
    write_fixes(plan_fixes([found], open_project(root)), open_project(root))
    assert (root / "agent.py").read_text() == HEAD + tool("Tool", f"'find_it'{left}") + agent("Tool()")


def test_only_the_useless_code_is_removed(write_project: WriteProject) -> None:
    root = write_project(style("  # lua: ignore[unused-tool, tool-name-style, x]  because"))
    found = judged(root)
    assert codes(found) == ["unused-suppression warning", "unused-suppression warning"]
    write_fixes(plan_fixes(found, open_project(root)), open_project(root))
    assert "# lua: ignore[tool-name-style]  because\n" in (root / "agent.py").read_text()
    assert judged(root) == []


def test_a_line_of_its_own_goes_whole(write_project: WriteProject) -> None:
    root = write_project({"agent.py": "# lua: ignore[unused-tool]\n" + HEAD + tool("Tool") + agent("Tool()")})
    write_fixes(plan_fixes(judged(root), open_project(root)), open_project(root))
    assert (root / "agent.py").read_text() == HEAD + tool("Tool") + agent("Tool()")


def test_a_suppression_for_a_later_stage_is_not_called_useless(write_project: WriteProject) -> None:
    root = write_project(
        {"agent.py": HEAD + tool("Tool", "'find_it'  # lua: ignore[provider-limits]") + agent("Tool()")}
    )
    assert judged(root) == []
    line = next(n for n, text in enumerate((root / "agent.py").read_text().split("\n"), 1) if "find_it" in text)
    facts = {"name": "Tool", "provider": "Gemini", "reason": "a tuple", "pointer": "/x"}
    place = Place("agent.py", line, 12, line, 21)
    project = open_project(root)
    assert say([Finding("lua/provider-limits", place, facts)], project) == []
    other = Place("agent.py", line + 1, 5, line + 1, 6)
    (found,) = say([Finding("lua/provider-limits", other, facts)], project)
    assert found.message == "Gemini cannot take the input of Tool: a tuple at `/x`"


def test_while_something_is_not_known_no_suppression_is_called_useless(write_project: WriteProject) -> None:
    files = style("  # lua: ignore[unused-tool, nope]", extra="import gone\n")
    assert codes(judged(write_project(files))) == [
        "tool-name-style warning",
        "unused-suppression warning",
        "unresolved-import error",
    ]


def with_settings(write_project: WriteProject, settings: str, choice: Choice = Choice()) -> list[str]:  # noqa: B008
    root = write_project({**style(), "pyproject.toml": "[tool.lua]\n" + settings})
    return codes(judged(root, choice))


def test_settings_raise_and_silence_warnings(write_project: WriteProject) -> None:
    assert with_settings(write_project, 'ignore = ["tool-name-style"]') == []
    assert with_settings(write_project, '[tool.lua.rules]\ntool-name-style = "ignore"') == []
    assert with_settings(write_project, '[tool.lua.rules]\n"lua/tool-name-style" = "error"') == [
        "tool-name-style error"
    ]
    assert with_settings(write_project, '[tool.lua.rules]\ntool-name-style = "warning"') == ["tool-name-style warning"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('ignore = ["tool-name-stile"]', "no rule `lua/tool-name-stile`"),
        ('ignore = ["not-a-tool"]', "`lua/not-a-tool` is an error and cannot be silenced"),
        ('[tool.lua.rules]\nnot-a-tool = "warning"', "`lua/not-a-tool` is an error and cannot be silenced"),
    ],
)
def test_settings_that_make_no_sense_are_refused(write_project: WriteProject, settings: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        with_settings(write_project, settings)


def test_selection(write_project: WriteProject) -> None:
    assert with_settings(write_project, "", Choice(select=("unused-tool",))) == []
    assert with_settings(write_project, "", Choice(select=("lua/tool-name-style",))) == ["tool-name-style warning"]
    assert with_settings(write_project, "", Choice(ignore=("tool-name-style",))) == []
    with pytest.raises(UsageError, match="--select: no rule `lua/nope`"):
        with_settings(write_project, "", Choice(select=("nope",)))


def test_selection_does_not_hide_errors(write_project: WriteProject) -> None:
    root = write_project({"agent.py": HEAD + tool("Tool", "'a b'") + agent("Tool()")})
    assert codes(judged(root, Choice(select=("unused-tool",)))) == ["tool-name-invalid error"]


def test_a_baseline_knows_old_warnings_and_lets_new_ones_through(write_project: WriteProject) -> None:
    root = write_project(style())
    old = judged(root)
    sources = SourceIndex(open_project(root)).text
    (root / "baseline.json").write_text(baseline_text(old, sources))
    known = read_baseline(root / "baseline.json")
    assert beyond_baseline(old, known, sources) == []

    moved = "# a line above\n" + (root / "agent.py").read_text()
    (root / "agent.py").write_text(
        moved.replace(agent("Tool()"), tool("Other", "'FindMore'") + agent("Tool()", "Other()"))
    )
    found = judged(root)
    new = beyond_baseline(found, known, SourceIndex(open_project(root)).text)
    assert lines(root, new) == ["tool-name-style warning: 'FindMore'"]
    assert len(found) == 2


def test_a_baseline_never_holds_errors(write_project: WriteProject) -> None:
    root = write_project({"agent.py": HEAD + tool("Tool", "'a b'") + agent("Tool()")})
    project = open_project(root)
    found = judged(root)
    text = baseline_text(found, SourceIndex(project).text)
    assert "tool-name-invalid" not in text
    (root / "baseline.json").write_text(text)
    assert beyond_baseline(found, read_baseline(root / "baseline.json"), SourceIndex(project).text) == found


def test_baselines_that_cannot_be_used(write_project: WriteProject) -> None:
    root = write_project({"a.json": "[]", "b.json": '{"version": 9}'})
    with pytest.raises(NotFoundError, match="no baseline file"):
        read_baseline(root / "gone.json")
    for name in ("a.json", "b.json"):
        with pytest.raises(UsageError):
            read_baseline(root / name)


def test_what_is_said_has_one_order(write_project: WriteProject) -> None:
    root = write_project({"agent.py": HEAD + tool("B", "'FindB'") + tool("A", "'FindA'") + agent("A()", "B()")})
    project = open_project(root)
    index = SourceIndex(project)
    found = judge(analyse(project, index), index, project)
    assert found == sorted(found, key=Diagnostic.sort_key)
