"""lua-cli: compile, lint, test, push and deploy the skills of AI agents.

`from lua_cli import LuaTool, LuaSkill, LuaAgent` is the SDK; the command line is `lua_cli.main`, which the SDK never
imports.
"""

from lua_cli._version import __version__

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from lua_cli.sdk import (
        ChannelText,
        Data,
        FlowTool,
        LuaAgent,
        LuaSkill,
        LuaTool,
        Record,
        ScriptedModel,
        StateError,
        ToolContext,
        ToolFlag,
        User,
        VoiceSession,
        env,
    )

__all__ = [
    "ChannelText",
    "Data",
    "FlowTool",
    "LuaAgent",
    "LuaSkill",
    "LuaTool",
    "Record",
    "ScriptedModel",
    "StateError",
    "ToolContext",
    "ToolFlag",
    "User",
    "VoiceSession",
    "__version__",
    "env",
]


def __getattr__(name: str) -> object:
    """A name of the SDK, loaded when it is first asked for: the command line has no use for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lua_cli import sdk

    value = globals()[name] = getattr(sdk, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
