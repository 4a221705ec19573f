"""Which rules there are: the modules of `lua_cli.rules`. In: nothing. Out: `Rule`s, by code. A module that is no
proper rule is an error at once: a rule that silently does not run would be worse."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from lua_cli.diagnostics import Diagnostic, Severity
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.analysis.model import Finding
    from lua_cli.rules.judging.context import Context

PREFIX = "lua/"


@record(frozen=True)
class Rule:
    """A rule. `check` judges the analysis, `from_finding` words what a stage came upon; at least one is there.

    page   the docstring, for `lua explain`
    amend  adds to what `from_finding` made what takes the whole project to know: a fix, a better hint
    last   it judges what came of the other rules
    later  findings of this code come after the analysis (bundling, the probe): a suppression of it may look unused
    before
    """

    code: str
    severity: Severity
    page: str
    check: Callable[[Context], Iterator[Diagnostic]] | None = None
    from_finding: Callable[[Finding], Diagnostic] | None = None
    amend: Callable[[Diagnostic, Finding, Context], Diagnostic] | None = None
    last: bool = False
    later: bool = False

    @property
    def title(self) -> str:
        """The page's first line: what is wrong, in one sentence."""
        return self.page.strip().partition("\n")[0]


def codes() -> tuple[str, ...]:
    """All codes, sorted, without importing the rules."""
    return tuple(PREFIX + name.replace("_", "-") for name in _module_names())


def find_rule(code: str) -> Rule | None:
    """The rule of a code, with or without `lua/`."""
    name = code.removeprefix(PREFIX).replace("-", "_")
    return _load(name) if name in _module_names() else None


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    return tuple(_load(name) for name in _module_names())


@cache
def _module_names() -> tuple[str, ...]:
    import lua_cli.rules

    found = pkgutil.iter_modules(lua_cli.rules.__path__)
    return tuple(sorted(module.name for module in found if not module.ispkg))


@cache
def _load(name: str) -> Rule:
    module: Any = importlib.import_module(f"lua_cli.rules.{name}")
    rule = Rule(
        code=module.CODE,
        severity=module.SEVERITY,
        page=module.__doc__ or "",
        check=getattr(module, "check", None),
        from_finding=getattr(module, "from_finding", None),
        amend=getattr(module, "amend", None),
        last=getattr(module, "LAST", False),
        later=getattr(module, "LATER", False),
    )
    if rule.code != PREFIX + name.replace("_", "-") or rule.severity not in get_args(Severity):
        raise ImportError(f"lua_cli/rules/{name}.py: CODE must be the module's name and SEVERITY one of {Severity}")
    if rule.check is None and rule.from_finding is None:
        raise ImportError(f"lua_cli/rules/{name}.py: a rule has `check`, `from_finding` or both")
    return rule
