"""rules/: what is right and wrong in a project. In: the analysis, and findings of later stages. Out: diagnostics.

Each module of this package is one rule: its docstring is the page of `lua explain CODE`, `CODE` and `SEVERITY` say what
it is, and `check(context)` or `from_finding(finding)` judges. Being here is all the wiring there is. The packages
beside them are the machinery: `judging/` runs rules and applies suppressions and settings, `fixes/` writes what they
propose. Nothing here prints.
"""

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from lua_cli.rules.judging.catalogue import all_rules, find_rule
    from lua_cli.rules.judging.choice import Choice
    from lua_cli.rules.judging.judge import judge, say

else:
    _WHERE = {
        "Choice": "choice", "all_rules": "catalogue", "find_rule": "catalogue", "judge": "judge", "say": "judge",
    }  # fmt: skip

    def __getattr__(name: str) -> object:
        """What is asked for, when it is: after an edit of words, the rules that judge them run alone."""
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(f"{__name__}.judging.{_WHERE[name]}"), name)
        globals()[name] = found
        return found


__all__ = ["Choice", "all_rules", "find_rule", "judge", "say"]
