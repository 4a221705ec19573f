"""`lua-tool`: a Python tool of the project. In: a block, a message. Out: its output as the body; what it prints is
logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.flows.model import Block
from lua_cli.runtime.flows.around import LogLine
from lua_cli.runtime.flows.message import Message

if TYPE_CHECKING:
    from lua_cli.runtime.flows.engine import Engine, Work


def _lua_tool(engine: Engine, block: Block, message: Message) -> None:
    given = engine.value(block.values["input"], message, "input") if "input" in block.values else message.body
    name = block.values["tool"]

    def heard(printed: str) -> None:
        for line in printed.splitlines():
            engine.around.log(LogLine("info", f"{name}: {line}"))

    message.body = engine.around.python(name, given, engine.around.left(), heard)


WORK: dict[str, Work] = {"lua-tool": _lua_tool}
