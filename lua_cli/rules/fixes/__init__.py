"""fixes/: writes what diagnostics propose.

In: diagnostics with fixes, the project. Out: a plan (`plan_fixes`), which can be shown (`diff_of`) or carried out
(`write_fixes`). Everything that no edit covers stays as it is, byte for byte. Files outside of the project are never
touched.
"""

from lua_cli.rules.fixes.plan import FileChange, FixPlan, diff_of, plan_fixes
from lua_cli.rules.fixes.write import write_fixes

__all__ = ["FileChange", "FixPlan", "diff_of", "plan_fixes", "write_fixes"]
