"""lua-cli: compile, lint, test, push and deploy the skills of AI agents.

`from lua_cli import LuaTool, LuaSkill, LuaAgent` is the SDK; the command line is `lua_cli.main`, which the SDK never
imports.
"""

from lua_cli._version import __version__
from lua_cli.sdk import (
    ChannelText,
    Data,
    LuaAgent,
    LuaSkill,
    LuaTool,
    Record,
    ScriptedModel,
    StateError,
    ToolFlag,
    User,
    env,
)

__all__ = [
    "ChannelText",
    "Data",
    "LuaAgent",
    "LuaSkill",
    "LuaTool",
    "Record",
    "ScriptedModel",
    "StateError",
    "ToolFlag",
    "User",
    "__version__",
    "env",
]
