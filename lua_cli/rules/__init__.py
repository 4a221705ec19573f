"""rules/: what is right and wrong in a project. In: the analysis, and findings of later stages. Out: diagnostics.

Each module of this package is one rule: its docstring is the page of `lua explain CODE`, `CODE` and `SEVERITY` say what
it is, and `check(context)` or `from_finding(finding)` judges. Being here is all the wiring there is. The packages
beside them are the machinery: `judging/` runs rules and applies suppressions and settings, `fixes/` writes what they
propose. Nothing here prints.
"""

from lua_cli.rules.judging.catalogue import all_rules, find_rule
from lua_cli.rules.judging.choice import Choice
from lua_cli.rules.judging.judge import judge, say

__all__ = ["Choice", "all_rules", "find_rule", "judge", "say"]
