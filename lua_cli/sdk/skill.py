"""LuaSkill: a named group of tools, with what the model should know about them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypedDict

from lua_cli.sdk.tool import LuaTool, checked_tool_name

if TYPE_CHECKING:
    from pathlib import Path


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

    @classmethod
    def from_folder(
        cls,
        folder: str,
        *,
        context: str | ChannelText = "",
        tools: Iterable[LuaTool[Any]] = (),
        condition: Callable[[], Any] | None = None,
    ) -> LuaSkill:
        """A skill in a folder of the Agent Skills format: `pdf = LuaSkill.from_folder("skills/pdf")`.

        folder    relative to the file that names it. SKILL.md in it has the name, the description and the instructions;
                  the model reads it, and the other files, on demand
        context, tools, condition   as for a skill that is written in Python

        Raises FileNotFoundError without a SKILL.md there.
        """
        from lua_cli.sdk.skill_file import read_skill_file

        file = _skill_file(sys._getframe(1).f_code.co_filename, folder)
        fields = read_skill_file(file.read_text("utf-8")).fields
        name, description = (fields[key].value if key in fields else "" for key in ("name", "description"))
        return cls(
            name=name or file.parent.name,
            description=description,
            context=context,
            tools=tools,
            instructions=f"{folder}/{file.name}",
            condition=condition,
        )

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
        # Classes, not names: what a tool is called is for the model alone, and an edit of it changes nothing else.
        tools = ", ".join(f"{type(tool).__name__}()" for tool in self.tools)
        return f"LuaSkill({self.name!r}, tools=[{tools}])"


def _skill_file(named_in: str, folder: str) -> Path:
    """The SKILL.md: beside the file that names the folder; in an artifact, below the folder that modules are imported
    from.
    """
    from pathlib import Path

    beside = Path(named_in).parent / folder
    parts = [part for part in Path(folder).parts if part not in ("..", ".")]
    for home in (beside, *(Path(entry or ".").joinpath(*parts) for entry in sys.path)):
        for name in ("SKILL.md", "skill.md"):
            if (home / name).is_file():
                return (home / name).resolve()
    raise FileNotFoundError(f"there is no SKILL.md in {beside}")
