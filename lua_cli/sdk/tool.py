"""LuaTool: what a tool class derives from."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Literal, TypeVar

InputT = TypeVar("InputT")
ToolFlag = Literal["ignore_on_enter", "disallow_interruption"]

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class LuaTool(ABC, Generic[InputT]):
    """One function that a model can call.

    Subclass it, give `name`, `description` and `input_schema`, and implement `execute`::

        class GetOrderStatus(LuaTool[OrderQuery]):
            name = "get_order_status"
            description = "Look up the shipping status of one order. Use when the customer asks where an order is."
            input_schema = OrderQuery

            async def execute(self, input: OrderQuery) -> dict: ...

    name          what the model calls: letters, digits, `_` and `-`, at most 64 (`^[a-zA-Z0-9_-]+$`)
    description   what it does and when to use it: the model decides by this text
    input_schema  a pydantic model, a TypedDict, a dataclass, or a JSON Schema as a dict. Without one, the annotation of
                  `execute`'s `input` is taken
    voice_flags   how a voice session treats the call: "ignore_on_enter", "disallow_interruption"

    The class is built once per project, with no arguments, and the instance is reused: to configure a tool, subclass
    it and
    override a field.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    input_schema: ClassVar[Any]
    voice_flags: ClassVar[frozenset[ToolFlag] | set[ToolFlag]] = frozenset()

    @abstractmethod
    def execute(self, input: InputT) -> Any:
        """Do it. `async def` or `def`; gets a validated instance of the input model (a dict where the schema is a
        dict).

        Returns anything that pydantic can encode as JSON. Raise an exception to tell the model what went wrong.
        On voice sessions a second parameter, `ctx=None`, gets the session.
        """

    def condition(self) -> Any:
        """Whether the tool is offered in this turn (`bool`, may be `async`). False, or an exception, leaves it out.

        Asked before every turn, with a budget of 30 seconds.
        """
        return True


def checked_tool_name(name: object) -> str:
    """`name`, when it is a valid tool name. Raises ValueError ("Invalid tool name …") otherwise."""
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        raise ValueError(f"Invalid tool name {name!r}: letters, digits, `_` and `-`, at most 64")
    return name
