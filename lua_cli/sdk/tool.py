"""LuaTool: what a tool class derives from."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, Literal, TypeVar

InputT = TypeVar("InputT")
ToolFlag = Literal["ignore_on_enter", "disallow_interruption"]

MAX_SAID, MAX_TIMES = 10_000, 100  # characters of a text, texts of a call
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class VoiceSession:
    """The voice session in which a tool is called. It ends with the call."""

    def __init__(self, speak: Callable[[str], None]) -> None:
        self._speak: Callable[[str], None] | None = speak
        self._count = 0

    def say(self, text: str) -> None:
        """Say something at once, before the tool has its result: "One moment, I am looking that up.".

        Raises TypeError and ValueError for what is no text, empty, or longer than 10,000 characters; RuntimeError
        after the call, and for more than 100 texts in one.
        """
        if not isinstance(text, str):
            raise TypeError(f"say() takes a text, and got a {type(text).__name__}")
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise ValueError("say() takes whole characters, and got half of one (a lone surrogate)")
        if not 0 < len(text) <= MAX_SAID:
            raise ValueError(f"say() takes 1 to {MAX_SAID:,} characters, and got {len(text):,}")
        self._count += 1
        if self._count > MAX_TIMES:
            raise RuntimeError(f"say() may be called {MAX_TIMES} times in a call")
        if self._speak is None:
            raise RuntimeError("the call is over: what it returns is all that it can say now")
        self._speak(text)

    def end(self) -> None:
        """The call is over."""
        self._speak = None


class ToolContext:
    """What `execute` gets as `ctx` on a voice session; anywhere else `ctx` is None.

    tool_call_id  the model's id of this call
    voice         the session: `ctx.voice.say("One moment.")`
    """

    def __init__(self, tool_call_id: str, voice: VoiceSession) -> None:
        self.tool_call_id, self.voice = tool_call_id, voice


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
        On voice sessions a second parameter, `ctx: ToolContext | None = None`, gets the session.
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
