"""LuaSkill: a named group of tools, with what the model should know about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypedDict

from lua_cli.sdk.tool import LuaTool, checked_tool_name


class ChannelText(TypedDict, total=False):
    """A text by channel: `base` always, `voice` or `text` with it on that channel. At least one of the three."""

    base: str
    voice: str
    text: str


class LuaSkill:
    """A named group of tools.

    name          the skill's name; `lua push skill --name NAME` goes by it
    description   one line: what the skill is for
    context       in the prompt on every turn while the skill is active: when to use which tool. A string, or
                  `{"base": …, "voice": …, "text": …}` by channel
    tools         instances: `tools=[GetOrderStatus()]`
    instructions  path of a Markdown document, relative to the file that names it; the model loads it on demand
    condition     a function (`def` or `async def`) without parameters; false or an exception leaves the skill's tools
    and
                  context out of this turn

    Raises ValueError ("Invalid tool name …") for a tool whose name is not valid.
    """

    def __init__(
        self,
        name: str,
        description: str = "",
        context: str | ChannelText = "",
        tools: Iterable[LuaTool[Any]] = (),
        *,
        instructions: str | None = None,
        condition: Callable[[], Any] | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.context = context
        self.instructions = instructions
        self.condition = condition
        self.tools: list[LuaTool[Any]] = []
        self.add_tools(tools)

    def add_tool(self, tool: LuaTool[Any]) -> LuaSkill:
        """Add one tool; gives the skill back. Raises ValueError for an invalid name."""
        checked_tool_name(getattr(tool, "name", None))
        self.tools.append(tool)
        return self

    def add_tools(self, tools: Iterable[LuaTool[Any]]) -> LuaSkill:
        """Add several tools, in order; gives the skill back. Raises ValueError for an invalid name."""
        for tool in tools:
            self.add_tool(tool)
        return self

    def __repr__(self) -> str:
        return f"LuaSkill({self.name!r}, tools={[getattr(tool, 'name', None) for tool in self.tools]!r})"
