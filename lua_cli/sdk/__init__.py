"""sdk/: what users import. Standard library only, cheap to import, and never the compiler."""

from lua_cli.sdk.agent import LuaAgent
from lua_cli.sdk.data import Data, Record
from lua_cli.sdk.environment import env
from lua_cli.sdk.flow_tool import FlowTool
from lua_cli.sdk.scripted import ScriptedModel
from lua_cli.sdk.skill import ChannelText, LuaSkill
from lua_cli.sdk.state import StateError
from lua_cli.sdk.tool import LuaTool, ToolContext, ToolFlag, VoiceSession
from lua_cli.sdk.user import User

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
    "env",
]
