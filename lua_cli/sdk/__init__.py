"""sdk/: what users import. Standard library only, cheap to import, and never the compiler."""

from lua_cli.sdk.agent import LuaAgent
from lua_cli.sdk.environment import env
from lua_cli.sdk.scripted import ScriptedModel
from lua_cli.sdk.skill import ChannelText, LuaSkill
from lua_cli.sdk.tool import LuaTool, ToolFlag

__all__ = ["ChannelText", "LuaAgent", "LuaSkill", "LuaTool", "ScriptedModel", "ToolFlag", "env"]
