"""The blocks that set, keep and say. In: a block, a message. Out: the message, changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lua_cli.flows.json_text import as_text
from lua_cli.flows.model import Block
from lua_cli.runtime.flows.around import LogLine, Store
from lua_cli.runtime.flows.message import BlockError, Message

if TYPE_CHECKING:
    from lua_cli.runtime.flows.engine import Engine, Work


def put(block: Block, message: Message, value: Any) -> None:
    """Into the variable that `as` names, else into the body."""
    if "as" in block.values:
        message.vars[block.values["as"]] = value
    else:
        message.body = value


def _set_payload(engine: Engine, block: Block, message: Message) -> None:
    message.body = engine.value(block.values["value"], message, "value")


def _set_variable(engine: Engine, block: Block, message: Message) -> None:
    message.vars[block.values["name"]] = engine.value(block.values["value"], message, "value")


def _delete_variable(_engine: Engine, block: Block, message: Message) -> None:
    message.vars.pop(block.values["name"], None)


def _log(engine: Engine, block: Block, message: Message) -> None:
    said = engine.value(block.values["message"], message, "message") if "message" in block.values else message.body
    engine.around.log(LogLine(block.values.get("level", "info"), as_text(said), block.values.get("logger")))


def _template(engine: Engine, block: Block, message: Message) -> None:
    try:
        put(block, message, engine.document(block.values["resource"], message))
    except ValueError as error:
        raise BlockError(str(error)) from None


def _fail(engine: Engine, block: Block, message: Message) -> None:
    raise BlockError(as_text(engine.value(block.values["message"], message, "message")))


def _object_read(engine: Engine, block: Block, message: Message) -> None:
    """What is stored; else the default; else null in the body, or nothing in the variable."""
    there, value = _store(engine).read(_key(engine, block, message))
    if not there and "default" in block.values:
        value = engine.value(block.values["default"], message, "default")
    if there or "default" in block.values or "as" not in block.values:
        put(block, message, value)
    if "existsVar" in block.values:
        message.vars[block.values["existsVar"]] = there


def _object_write(engine: Engine, block: Block, message: Message) -> None:
    value = engine.value(block.values["value"], message, "value") if "value" in block.values else message.body
    _store(engine).write(_key(engine, block, message), value)


def _object_delete(engine: Engine, block: Block, message: Message) -> None:
    _store(engine).delete(_key(engine, block, message))


def _key(engine: Engine, block: Block, message: Message) -> str:
    key = engine.value(block.values["key"], message, "key")
    if not isinstance(key, str):
        raise BlockError(f"key must be a text, and it is {as_text(key)[:80]}")
    return key


def _store(engine: Engine) -> Store:
    if engine.around.store is None:
        raise BlockError("there is no object store here")
    return engine.around.store


WORK: dict[str, Work] = {
    "set-payload": _set_payload,
    "set-variable": _set_variable,
    "delete-variable": _delete_variable,
    "log": _log,
    "template-resource": _template,
    "fail": _fail,
    "object-read": _object_read,
    "object-write": _object_write,
    "object-delete": _object_delete,
}
