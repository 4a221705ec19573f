"""Which diagnostics are said, and how severely: `[tool.lua] ignore` and `rules`, `--select` and `--ignore`.

In: diagnostics. Out: diagnostics. An error is never lowered; asking for it, or naming a rule that does not exist, is
a usage error.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from lua_cli.diagnostics import Diagnostic
from lua_cli.errors import UsageError
from lua_cli.project import Project
from lua_cli.records import replace
from lua_cli.rules.judging.catalogue import PREFIX, codes, find_rule
from lua_cli.rules.judging.choice import Choice

_IN_CI = ("lua/lock-stale",)


class Levels:
    """The levels that hold for one run, checked once."""

    def __init__(self, project: Project, choice: Choice) -> None:
        settings = "in [tool.lua] of pyproject.toml"
        self._levels = dict.fromkeys(_IN_CI, "error") if choice.ci else {}
        self._levels |= {_known(code, f"rules {settings}"): level for code, level in project.settings.rules.items()}
        for code in project.settings.ignore:
            self._levels[_known(code, f"ignore {settings}")] = "ignore"
        _refuse_lowering(self._levels)
        self._select = {_known(code, "--select") for code in choice.select}
        self._ignore = {_known(code, "--ignore") for code in choice.ignore}
        _refuse_lowering(dict.fromkeys(self._ignore, "ignore"))

    def apply(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        return [levelled for diagnostic in diagnostics if (levelled := self._levelled(diagnostic)) is not None]

    def of(self, code: str) -> str:
        """How severely a warning of a rule is said: "warning", "error" or "ignore"."""
        if code in self._ignore or (self._select and code not in self._select):
            return "ignore"
        return self._levels.get(code, "warning")

    def _levelled(self, diagnostic: Diagnostic) -> Diagnostic | None:
        if diagnostic.severity == "error":
            return diagnostic
        level = self.of(diagnostic.code)
        if level == "ignore":
            return None
        return replace(diagnostic, severity="error") if level == "error" else diagnostic


def full_code(code: str) -> str:
    """`tool-name-style` and `lua/tool-name-style` are the same."""
    return code if code.startswith(PREFIX) else PREFIX + code


def near_codes(code: str) -> list[str]:
    return difflib.get_close_matches(full_code(code), codes(), n=3, cutoff=0.6)


def _known(code: str, where: str) -> str:
    full = full_code(code.strip())
    if full not in codes():
        near = near_codes(full)
        hint = f"did you mean `{near[0]}`?" if near else "`lua explain` lists the rules"
        raise UsageError(f"{where}: no rule `{full}`", hint=hint)
    return full


def _refuse_lowering(levels: Mapping[str, str]) -> None:
    for code, level in levels.items():
        rule = find_rule(code)
        if rule is not None and rule.severity == "error" and level != "error":
            hint = f"errors are what would fail at run time; `lua explain {code}` says what to do"
            raise UsageError(f"`{code}` is an error and cannot be silenced", hint=hint)
