"""probe/: imports what a skill will ship, in a child process, and reads what only a run can tell: the tools' schemas.

In: drafts. Out: `Probed`, with findings for what does not import, has no schema or is not what the analysis read. The
child has no network, a time limit, and of the project nothing but the draft's files; this process imports none of
them.
"""

from lua_cli.probe.inspecting import inspect
from lua_cli.probe.model import Probed, SkillSeen, ToolSeen

__all__ = ["Probed", "SkillSeen", "ToolSeen", "inspect"]
