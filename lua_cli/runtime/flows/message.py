"""What goes through a flow. In: a body, variables. Out: a `Message`; the ways in which a flow ends without one."""

from __future__ import annotations

import secrets
from typing import Any

from lua_cli.errors import LuaError
from lua_cli.records import field, record


def new_id() -> str:
    """An id for an event."""
    return secrets.token_hex(8)


@record
class Message:
    """A message. Blocks replace its body and its variables; the values themselves are never changed in place, so that a
    copy shares them.
    """

    body: Any = None
    vars: dict[str, Any] = field(default_factory=dict)
    event_id: str = field(default_factory=new_id)
    correlation_id: str = ""

    def copy(self) -> Message:
        """A message of its own: what is set on one is not seen on the other."""
        return Message(self.body, dict(self.vars), self.event_id, self.correlation_id)

    def take(self, other: Message) -> None:
        """Become the other one: its body replaces, its variables are merged."""
        self.body = other.body
        self.vars.update(other.vars)


class FlowError(LuaError):
    """A block failed and nothing handled it. `block` is its label, `address` where it stands."""

    def __init__(self, message: str, block: str = "", address: str = "") -> None:
        super().__init__(message, hint=f"the block is {address}" if address else None)
        self.block, self.address = block, address


class BlockError(Exception):
    """A block says why it fails; who runs the block knows which one it is."""


class DroppedError(Exception):
    """The message was dropped: the flow ends without a result."""


class StoppedError(Exception):
    """A `validate` block rejected: the flow ends here, with this message as its result."""

    def __init__(self, message: Message) -> None:
        super().__init__("stopped")
        self.message = message
