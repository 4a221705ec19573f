"""Runs the rules. In: the analysis (`judge`) or findings of later stages (`say`). Out: the diagnostics, sorted, each
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lua_cli.analysis.model import Analysis, Finding
from lua_cli.diagnostics import Diagnostic
from lua_cli.project import Project
from lua_cli.records import replace
from lua_cli.rules.judging.catalogue import all_rules, find_rule
from lua_cli.rules.judging.choice import Choice
from lua_cli.rules.judging.context import Context, Outcome, source_text
from lua_cli.rules.judging.levels import Levels
from lua_cli.rules.judging.suppressions import silence, suppressions_in
from lua_cli.rules.judging.wording import UNREAD

if TYPE_CHECKING:
    from lua_cli.source import SourceIndex

NO_CHOICE = Choice()
_UNREADABLE = "lua/syntax-error"
_FOLLOWING = frozenset({"lua/unresolved-base", "lua/unresolved-primitive-ref"})


def judge(analysis: Analysis, index: SourceIndex, project: Project, choice: Choice = NO_CHOICE) -> list[Diagnostic]:
    """Everything that the rules say about an analysis. Raises UsageError for settings that name no rule or lower an
    error.
    """
    levels = Levels(project, choice)
    context = Context(analysis, project, index, choice)
    found = levels.apply(_unique((*_checked(context), *_from_findings(_causes(analysis.findings), context))))
    paths = context.own_paths | {each.place.path for each in found if _is_of_the_project(each.place.path)}
    suppressions = tuple(
        suppression for path in sorted(paths) for suppression in suppressions_in(path, context.glance(path))
    )
    left, used = silence(found, suppressions)
    left += levels.apply(_checked(replace(context, outcome=Outcome(suppressions, frozenset(used), tuple(found)))))
    return sorted(left, key=Diagnostic.sort_key)


def _is_of_the_project(path: str) -> bool:
    """Whether it is a source below the project's folder: something may be said of one that nothing imports."""
    return path.endswith(".py") and not path.startswith("/")


def say(findings: Iterable[Finding], project: Project, choice: Choice = NO_CHOICE) -> list[Diagnostic]:
    """What the rules say about findings of later stages. Unused suppressions are not judged here: `judge` did."""
    from lua_cli.source import SourceIndex

    found = Levels(project, choice).apply(_unique(_from_findings(findings)))
    index = SourceIndex(project)
    paths = sorted({diagnostic.place.path for diagnostic in found if diagnostic.severity == "warning"})
    left, _ = silence(found, [s for path in paths for s in suppressions_in(path, source_text(index, path))])
    return sorted(left, key=Diagnostic.sort_key)


def said_about(findings: Iterable[Finding]) -> Iterator[Diagnostic]:
    """The rules' words for findings, before levels and suppressions."""
    yield from _from_findings(findings)


def _checked(context: Context) -> Iterator[Diagnostic]:
    """What the rules say that look at the whole: those that judge the outcome of the others run when it is there."""
    for rule in all_rules():
        if rule.check is not None and rule.last == (context.outcome is not None):
            yield from rule.check(context)


def _causes(findings: Iterable[Finding]) -> list[Finding]:
    """Without what follows from a source that cannot be read, of which a finding of its own says why: an error for each
    tool of that source would stand before the one to mend. Errors are never silenced, so that one is said.
    """
    findings = list(findings)
    unreadable = [f"`{one.facts['name']}` " for one in findings if one.code == _UNREADABLE and one.facts.get("name")]

    def follows(one: Finding) -> bool:
        reason = one.facts.get("reason", "")
        return one.code in _FOLLOWING and reason.endswith(UNREAD) and any(name in reason for name in unreadable)

    return [one for one in findings if not follows(one)] if unreadable else findings


def _from_findings(findings: Iterable[Finding], context: Context | None = None) -> Iterator[Diagnostic]:
    for finding in findings:
        rule = find_rule(finding.code)
        if rule is None or rule.from_finding is None:
            raise LookupError(f"no rule turns findings of {finding.code} into diagnostics")
        diagnostic = rule.from_finding(finding)
        yield rule.amend(diagnostic, finding, context) if rule.amend and context else diagnostic


def _unique(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each once: a class that two skills hold has one name, and one thing to say about it."""
    return list(dict.fromkeys(diagnostics))
