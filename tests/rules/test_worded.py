"""What tools are called and what is said of them decides what seven rules say; to all others it is a word in a sentence. An
edit of it runs those seven alone (lua_cli/pipeline/rejudged.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.analysis import Analysis, analyse
from lua_cli.records import replace
from lua_cli.rules import all_rules, find_rule
from lua_cli.rules.judging.catalogue import Rule
from lua_cli.rules.judging.context import Context
from lua_cli.rules.judging.judge import said_about
from lua_cli.rules.judging.pages import page_of
from lua_cli.rules.judging.worded import CODES, judge_words
from lua_cli.source import SourceIndex
from tests.rules.test_pages import written

WriteProject = Callable[[Mapping[str, str]], Path]


def otherwise(analysis: Analysis) -> tuple[Analysis, dict[str, str]]:
    """The analysis with other words in every class, and the old ones by the new."""
    old: dict[str, str] = {}

    def other(text: str) -> str:
        new = f"zz_{len(old)}_quite_another_word"
        old[new] = text
        return new

    classes = {}
    for dotted, info in analysis.classes.items():
        said = {key: info.attributes[key] for key in ("name", "description") if info.attributes[key].text is not None}
        new = {key: replace(one, value=other(one.text or "")) for key, one in said.items()}
        classes[dotted] = replace(info, attributes={**info.attributes, **new})
    return replace(analysis, classes=classes), old


def said(rules: list[Rule], context: Context, old: Mapping[str, str]) -> list[str]:
    found = [one for rule in rules if rule.check is not None for one in rule.check(context)]
    found += said_about(context.analysis.findings)
    texts = []
    for one in found:
        text = repr(one)
        for new, word in old.items():
            text = text.replace(new, word)
        texts.append(text)
    return texts


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
@pytest.mark.parametrize("example", ["bad", "good"])
def test_no_other_rule_decides_by_words(rule: Rule, example: str, write_project: WriteProject) -> None:
    project = written(getattr(page_of(rule), example), write_project)
    index = SourceIndex(project)
    analysis = analyse(project, index)
    changed, old = otherwise(analysis)
    others = [one for one in all_rules() if one.code not in CODES and not one.last]
    before = said(others, Context(analysis, project, index), {})
    assert said(others, Context(changed, project, index), old) == before


@pytest.mark.parametrize("code", CODES)
def test_those_that_do_are_listed(code: str, write_project: WriteProject) -> None:
    """Each of the seven says what its page says when they run alone."""
    rule = find_rule(code)
    assert rule is not None
    project = written(page_of(rule).bad, write_project)
    index = SourceIndex(project)
    found = judge_words(Context(analyse(project, index), project, index))
    assert {one.code for one in found} == {code}
