"""FlowTool: a tool that a flow of the project answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, final

from lua_cli.sdk.tool import LuaTool, ToolFlag


@final
class FlowTool(LuaTool[dict[str, Any]]):
    """A tool whose work is done by a flow in YAML. Register it as it is, with its arguments::

        orders = LuaSkill(
            name="orders",
            context="Use get_weather before you promise a delivery day.",
            tools=[
                FlowTool(
                    flow="get-current-weather",
                    name="get_weather",
                    description="Look up the weather in one city. Use when the customer asks about delays.",
                    input_schema={
                        "type": "object",
                        "required": ["city"],
                        "properties": {"city": {"type": "string"}},
                    },
                )
            ],
        )

    flow          the name of a flow without a source: the arguments become its `body`, its `body` at the end is the
                  result
    name          what the model calls: letters, digits, `_` and `-`, at most 64
    description   what it does and when to use it
    input_schema  a JSON Schema as a dict; the arguments are checked against it before the flow runs. Without one, any
                  object
    voice_flags   as those of `LuaTool`
    """

    flow: str

    def __init__(
        self,
        *,
        flow: str,
        name: str,
        description: str = "",
        input_schema: Mapping[str, Any] | None = None,
        voice_flags: frozenset[ToolFlag] | set[ToolFlag] = frozenset(),
    ) -> None:
        self.flow = flow
        self.name = name  # type: ignore[misc]  # a flow tool is told apart by what its instances hold
        self.description = description  # type: ignore[misc]
        self.input_schema = input_schema  # type: ignore[misc]
        self.voice_flags = voice_flags  # type: ignore[misc]

    def execute(self, input: dict[str, Any]) -> NoReturn:
        """Raises RuntimeError: the engine of flows runs the tool, no method of this class."""
        raise RuntimeError(f"{self.name} is the flow {self.flow}: run it with `lua test skill --name {self.name}`")

    def __repr__(self) -> str:
        return f"FlowTool(flow={self.flow!r}, name={self.name!r})"
