"""The blocks that decide, repeat, shelter and call. In: a block, a message. Out: the message, changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.flows.cel_values import MAX_NODES, MAX_TEXT, Converted, to_cel
from lua_cli.flows.json_text import as_text
from lua_cli.flows.model import Block, Chain
from lua_cli.runtime.flows.message import BlockError, DroppedError, FlowError, Message, StoppedError

if TYPE_CHECKING:
    from lua_cli.runtime.flows.engine import Engine, Work

_MAX_ITEMS = 10_000


def _if(engine: Engine, block: Block, message: Message) -> None:
    held = engine.truth(block.values["condition"], message, "condition")
    chain: Chain | None = block.values.get("then" if held else "else")
    if chain is not None:
        engine.chain(chain, message)


def _switch(engine: Engine, block: Block, message: Message) -> None:
    for case in block.values["cases"]:
        if engine.truth(case.when, message, "when"):
            engine.chain(case.chain, message)
            return
    if "default" in block.values:
        engine.chain(block.values["default"], message)


def _filter(engine: Engine, block: Block, message: Message) -> None:
    if not engine.truth(block.values["condition"], message, "condition"):
        raise DroppedError


def _foreach(engine: Engine, block: Block, message: Message) -> None:
    """`iterate`: on the message itself, whose loop variable is as before afterwards. `map`: each element on a copy, and
    the bodies become the body; a dropped one is null.
    """
    items = engine.value(block.values["items"], message, "items")
    if not isinstance(items, list):
        raise BlockError(f"items must be a list, and it is {as_text(items)[:80]}")
    if len(items) > _MAX_ITEMS:
        raise BlockError(f"items has more than {_MAX_ITEMS:,} elements")
    name: str = block.values.get("as", "item")
    if block.values.get("mode") == "map":
        _map(engine, block.values["body"], message, name, items)
        return
    had, before = name in message.vars, message.vars.get(name)
    try:
        for item in items:
            message.vars[name] = item
            engine.chain(block.values["body"], message)
    finally:
        message.vars.pop(name, None)
        if had:
            message.vars[name] = before


def _map(engine: Engine, body: Chain, message: Message, name: str, items: list[object]) -> None:
    made: list[object] = []
    nodes = characters = 0
    for item in items:
        own = message.copy()
        own.vars[name] = item
        try:
            engine.chain(body, own)
        except DroppedError:
            made.append(None)
            continue
        except StoppedError as stopped:  # a rejection is the result of the flow
            stopped.message.vars.pop(name, None)
            message.take(stopped.message)
            raise StoppedError(message) from None
        made.append(own.body)
        size = _size(own.body)
        nodes, characters = nodes + size.nodes, characters + size.characters
        if nodes > MAX_NODES or characters > MAX_TEXT:
            most = f"{MAX_TEXT:,} characters" if characters > MAX_TEXT else f"{MAX_NODES:,} values"
            raise BlockError(f"the bodies of the loop have more than {most}")
    message.body = made


def _size(body: object) -> Converted:
    try:
        return to_cel(body)
    except (ValueError, OverflowError) as error:
        raise BlockError(str(error)) from None


def _enrich(engine: Engine, block: Block, message: Message) -> None:
    """On a copy; what is named comes back, computed on the copy."""
    own = message.copy()
    engine.chain(block.values["body"], own)
    found = {name: engine.value(each, own, f"setVars.{name}") for name, each in block.values.get("setVars", {}).items()}
    if "setBody" in block.values:
        message.body = engine.value(block.values["setBody"], own, "setBody")
    message.vars.update(found)


def _handle_errors(engine: Engine, block: Block, message: Message) -> None:
    try:
        engine.chain(block.values["process"], message)
    except FlowError as failure:
        engine.recover(failure, message, block.values["error"], block.label)


def _validate(engine: Engine, block: Block, message: Message) -> None:
    failed = [rule.message for rule in block.values["rules"] if not engine.truth(rule.expr, message, "expr")]
    if not failed:
        return
    message.vars["validationErrors"] = failed
    if "onReject" in block.values:
        engine.chain(block.values["onReject"], message)
    else:
        message.body = {"error": "validation_failed", "messages": failed}
        message.vars["httpStatus"] = block.values.get("rejectStatus", 422)
    raise StoppedError(message)


def _flow_ref(engine: Engine, block: Block, message: Message) -> None:
    """The callee gets a copy; its body replaces, its variables are merged."""
    message.take(engine.flow(engine.flows.flows[block.values["flow"]], message.copy()))


WORK: dict[str, Work] = {
    "if": _if,
    "switch": _switch,
    "filter": _filter,
    "foreach": _foreach,
    "enrich": _enrich,
    "handle-errors": _handle_errors,
    "validate": _validate,
    "flow-ref": _flow_ref,
}
