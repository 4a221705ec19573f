"""The engine. In: `Flows` without errors, an `Around`, a message. Out: a message; or DroppedError, FlowError.

One block after another. A failure goes to the nearest `handle-errors`, then to the flow's `error:` chain, with
`vars.error`; what neither handles ends the run. Prints nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from lua_cli.errors import LuaError, NotFoundError
from lua_cli.flows.cel import CelError, Expression, Scope
from lua_cli.flows.json_text import as_text
from lua_cli.flows.model import Block, Chain, Flow, Flows, Template
from lua_cli.runtime.flows.around import Around, Mock
from lua_cli.runtime.flows.guarded import evaluate
from lua_cli.runtime.flows.message import BlockError, DroppedError, FlowError, Message, StoppedError

MAX_CALLS = 20
MAX_RENDERED = 2 * 1024**2
MAX_RENDERING = 0.4  # seconds of the processor, for a template with all those in it

Work = Callable[["Engine", Block, Message], None]


class Engine:
    """Runs the flows of one project or artifact."""

    def __init__(self, flows: Flows, around: Around) -> None:
        self.flows, self.around = flows, around
        self._calls = 0
        self._rendering: list[str] = []
        self._rendering_since = 0.0

    def invoke(self, name: str, message: Message) -> Message:
        """Run a flow by name. Raises NotFoundError, DroppedError, FlowError."""
        flow = self.flows.flows.get(name)
        if flow is None:
            raise NotFoundError(f"no flow {name!r}", hint="there are: " + (", ".join(self.flows.flows) or "none"))
        return self.flow(flow, message)

    def flow(self, flow: Flow, message: Message) -> Message:
        """Run a flow with a message that is its own."""
        if self._calls >= MAX_CALLS:
            raise BlockError(f"flows call one another more than {MAX_CALLS} deep")
        self._calls += 1
        try:
            return self.rooted(flow.chain, message, flow.error, flow.name)
        finally:
            self._calls -= 1

    def rooted(self, chain: Chain, message: Message, error: Chain | None = None, name: str = "") -> Message:
        """Run a chain that a rejection ends, with its error chain. Gives the result."""
        try:
            try:
                self.chain(chain, message)
            except FlowError as failure:
                if error is None:
                    raise
                self.recover(failure, message, error, name)
        except StoppedError as stopped:
            return stopped.message
        return message

    def recover(self, failure: FlowError, message: Message, chain: Chain, name: str) -> None:
        """Run an error chain for a failure."""
        message.vars["error"] = {"message": failure.message, "flow": name, "block": failure.block}
        self.chain(chain, message)

    def chain(self, chain: Chain, message: Message) -> None:
        """Run blocks in order."""
        for block in chain.blocks:
            self.block(block, message)

    def block(self, block: Block, message: Message) -> None:
        """Run one block, or what stands for it. Raises FlowError with the block's label."""
        try:
            self.around.left()
            mock = self.around.mocks.get(block.address)
            if mock is not None:
                _stand_in(mock, message)
            else:
                WORK[block.type](self, block, message)
        except BlockError as error:
            cause = (
                error.__cause__ if isinstance(error.__cause__, LuaError) else None
            )  # a provider's, with its exit code
            raise FlowError(str(error), block.label, block.address) from cause
        except RecursionError:
            raise FlowError("blocks and flows are nested too deep", block.label, block.address) from None

    def value(self, expression: Expression, message: Message, what: str = "") -> Any:
        """The value of an expression against a message. Raises BlockError."""
        try:
            return evaluate(expression, self.scope(message))
        except CelError as error:
            raise BlockError(f"{what}: {error.message}" if what else error.message) from None

    def truth(self, expression: Expression, message: Message, what: str) -> bool:
        """The value of a condition. Raises BlockError for what is neither true nor false."""
        value = self.value(expression, message, what)
        if not isinstance(value, bool):
            raise BlockError(f"{what} must be true or false, and it is {as_text(value)[:80]}")
        return value

    def scope(self, message: Message) -> Scope:
        """What expressions see of a message."""
        return Scope(
            message.body, message.vars, self.around.env, message.event_id, message.correlation_id,
            render=lambda name: self.document(name, message),
        )  # fmt: skip

    def document(self, name: str, message: Message) -> str:
        """A template resource against a message. Raises ValueError, as functions of expressions do."""
        resource = self.flows.resources.get(name)
        if resource is None:
            raise ValueError(f"there is no template {name!r}")
        if name in self._rendering:
            raise ValueError(f"the template {name!r} renders itself")
        if not self._rendering:
            self._rendering_since = time.thread_time()
        elif time.thread_time() - self._rendering_since > MAX_RENDERING:
            raise ValueError(f"the template {name!r} takes too long with the others that it renders")
        self._rendering.append(name)
        try:
            return self.rendered(resource.template, message)
        except BlockError as error:
            raise ValueError(f"template {name!r}: {error}") from None
        finally:
            self._rendering.pop()

    def rendered(self, template: Template, message: Message, quote: Callable[[str], str] = str) -> str:
        """A text with the values of its expressions: a string verbatim, anything else compact JSON."""
        text = ""
        for part in template.parts:
            text += part if isinstance(part, str) else quote(as_text(self.value(part, message)))
            if len(text) > MAX_RENDERED:
                raise BlockError(f"the text is longer than {MAX_RENDERED:,} characters")
        return text


def _stand_in(mock: Mock, message: Message) -> None:
    """What a mock does in place of its block."""
    if mock.error is not None:
        raise BlockError(mock.error)
    if mock.drop:
        raise DroppedError
    if mock.has_body:
        message.body = mock.body
    message.vars.update(mock.vars)


WORK: dict[str, Work] = {}


def _register() -> None:
    from lua_cli.runtime.flows import agent, control, data, python, rest

    for module in (control, data, rest, python, agent):
        WORK.update(module.WORK)


_register()
