"""Every rule's page is its test: Bad gives the rule's code alone, Good gives nothing, and the fix turns one into the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.analysis import analyse
from lua_cli.diagnostics import Diagnostic
from lua_cli.pipeline import compile_project
from lua_cli.project import Project, open_project
from lua_cli.report import diagnostic_from_record
from lua_cli.rules import all_rules, judge
from lua_cli.rules.fixes import plan_fixes, write_fixes
from lua_cli.rules.judging.catalogue import Rule
from lua_cli.rules.judging.pages import page_of, reference
from lua_cli.source import SourceIndex
from tests.conftest import REPOSITORY

WriteProject = Callable[[Mapping[str, str]], Path]
RULES = all_rules()
FIXABLE = (
    "lua/constructor-args-dropped",
    "lua/not-a-tool",
    "lua/tool-name-style",
    "lua/unused-suppression",
)


def said(project: Project, rule: Rule) -> list[Diagnostic]:
    """What is said about a project: by the analysis alone, or by all stages where the rule needs them."""
    if rule.check is None and rule.later:
        return [diagnostic_from_record(record) for record in compile_project(project).document["diagnostics"]]
    index = SourceIndex(project)
    return judge(analyse(project, index), index, project)


def written(files: Mapping[str, str], write_project: WriteProject) -> Project:
    """The project of an example. A file that says `-> TARGET` is a symbolic link, whose target is made too."""
    root = write_project({path: text for path, text in files.items() if not text.startswith("-> ")})
    for path, text in files.items():
        if text.startswith("-> "):
            target = text.removeprefix("-> ").strip()
            (root / path).parent.joinpath(target).resolve().write_text("{}\n")
            (root / path).symlink_to(target)
    return open_project(root)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_bad_is_what_the_rule_reports_and_nothing_else(rule: Rule, write_project: WriteProject) -> None:
    project = written(page_of(rule).bad, write_project)
    found = said(project, rule)
    assert {diagnostic.code for diagnostic in found} == {rule.code}, found
    assert {diagnostic.severity for diagnostic in found} == {rule.severity}
    assert all(diagnostic.help for diagnostic in found), "every diagnostic says the way out"
    assert rule.code in FIXABLE or not any(diagnostic.fix for diagnostic in found), "list the rule in FIXABLE"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_good_is_fine(rule: Rule, write_project: WriteProject) -> None:
    assert said(written(page_of(rule).good, write_project), rule) == []


@pytest.mark.parametrize("code", FIXABLE)
def test_the_fix_turns_bad_into_good(code: str, write_project: WriteProject) -> None:
    rule = next(rule for rule in RULES if rule.code == code)
    page = page_of(rule)
    project = written(page.bad, write_project)
    found = said(project, rule)
    assert all(diagnostic.fix for diagnostic in found)
    for _ in range(5):
        plan = plan_fixes(found, project)
        write_fixes(plan, project)
        found = said(project, rule)
        if not plan.changes:
            break
    assert {path: (project.root / path).read_text("utf-8") for path in page.good} == page.good
    assert found == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_says_what_why_and_what_to_do(rule: Rule) -> None:
    assert rule.title.endswith(".")
    assert "`" not in rule.code
    assert "\nWhat to do: " in rule.page
    for path, text in page_of(rule).good.items():
        if path.endswith(".py"):
            ast.parse(text)


def test_the_reference_is_up_to_date() -> None:
    written = (REPOSITORY / "docs" / "rules.md").read_text("utf-8")
    assert written == reference(), "run scripts/render-rules"
