"""runtime/: runs tools. In: an artifact, a tool's name, input as text. Out: a `RunResult`, whatever the tool did.

User code runs in a child process only (child/). This package checks the input before any of it starts, and puts what
came back into words; it prints nothing.
"""

from lua_cli.runtime.model import Fault, RunError, RunOptions, RunResult
from lua_cli.runtime.running import run_tool
from lua_cli.runtime.unpacked import forget_old

__all__ = ["Fault", "RunError", "RunOptions", "RunResult", "forget_old", "run_tool"]
