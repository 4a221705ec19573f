"""fixes/: writes what diagnostics propose.

In: diagnostics with fixes, the project. Out: a plan (`plan_fixes`), which can be shown (`diff_of`) or carried out
(`write_fixes`). Everything that no edit covers stays as it is, byte for byte. Files outside of the project are never
touched.
"""

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from lua_cli.rules.fixes.plan import FileChange, FixPlan, diff_of, plan_fixes
    from lua_cli.rules.fixes.write import write_fixes

else:

    def __getattr__(name: str) -> object:
        """What is asked for, when it is: rules use modules beside these, and carry nothing out."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from lua_cli.rules.fixes import plan, write

        return getattr(write if name == "write_fixes" else plan, name)


__all__ = ["FileChange", "FixPlan", "diff_of", "plan_fixes", "write_fixes"]
