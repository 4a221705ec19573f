"""How rules put a finding into words. Facts of a finding, all optional and all source text or clauses of English:

expression   the source that the finding is about: `make_base()`
name         the name that it is about: a class, a module, an attribute
names        several of them, one a line
reason       a clause that says why: "it is the result of a call"
suggestion   a name that was probably meant
advice       what to do, in a clause
message, help   the words themselves, from a stage that knows many ways to be wrong
"""

from __future__ import annotations

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Diagnostic, Related, Severity

UNREAD = "its source cannot be read"
SOURCE_FIRST = "mend its source first: another error says where"


def diagnostic_of(finding: Finding, code: str, severity: Severity, message: str, help_: str | None) -> Diagnostic:
    related = tuple(Related(place, words) for place, words in finding.related)
    return Diagnostic(code, severity, message, finding.place, help=help_, related=related)


def said(finding: Finding, code: str, severity: Severity) -> Diagnostic:
    """A finding that brings its words."""
    return diagnostic_of(finding, code, severity, finding.facts["message"], finding.facts["help"])


def because(finding: Finding) -> str:
    """ ": why", when the finding knows."""
    reason = finding.facts.get("reason", "")
    return f": {reason}" if reason else ""


def near(finding: Finding, otherwise: str) -> str:
    """The hint: the name that was probably meant, else `otherwise`."""
    suggestion = finding.facts.get("suggestion", "")
    return f"did you mean `{suggestion}`?" if suggestion else otherwise


def subject(finding: Finding, otherwise: str) -> str:
    """What the finding is about, in backticks."""
    said = finding.facts.get("expression") or finding.facts.get("name")
    return f"`{said}`" if said else otherwise
