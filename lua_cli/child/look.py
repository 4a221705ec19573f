"""The probe. In: the request {"skills": [{"skill", "artifact", "tools": [[module, qualname]], "condition"}],
"hidden", "pydantic", "values", "timeout", "limits", "trace"}. Out: a frame S for each skill: {"skill", "tools":
{"module:qualname": …}, "condition", "ran": which functions ran (noticing.py)}.

Each skill is looked at in a fork of its own: skills share no modules, and one that crashes or hangs does not take the
others along. What all of them need (pydantic) is imported once, before.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any

from lua_cli.child import confine
from lua_cli.child.failure import Frames
from lua_cli.child.forks import in_fork
from lua_cli.child.given import SchemaError
from lua_cli.child.load import RefusedError, build, input_kind, load_class, schema_refusal
from lua_cli.child.noticing import Noticing
from lua_cli.child.offline import go_offline
from lua_cli.child.schema import json_schema, output_schema
from lua_cli.child.warm import warm_up
from lua_cli.child.watch import watch
from lua_cli.child.wire import Channel


def look(order: dict[str, Any], channel: Channel) -> None:
    """Look at every skill, and end the process."""
    channel.move(confine.safe_descriptor)
    confine.detach_stdin()
    confine.limit(order["limits"])
    confine.hide(order["hidden"])
    _set(order["values"])
    channel.send("B", b"{}")
    go_offline("no network while lua compile looks at the tools: connect inside `execute`, not at import")
    warm_up(with_pydantic=order["pydantic"])
    sys.dont_write_bytecode = True  # nobody imports these files again
    gc.freeze()  # what is here stays: a collection in a fork would touch, and so copy, all of it
    for skill in order["skills"]:
        code = in_fork(lambda s=skill: _look_at(s, order, channel.taken_over()), order["each"])  # type: ignore[misc]
        channel.send("X", json.dumps({"skill": skill["skill"], "status": code}).encode("ascii"))
    os._exit(0)


def _set(values: Mapping[str, str]) -> None:
    """The variables that the skills declare; the process may have been begun before they were known. Home and temporary
    files stay in the run's folder, as begin.py has it."""
    os.environ.update({name: value for name, value in values.items() if name not in ("HOME", "TMPDIR")})
    if "TZ" in values:
        time.tzset()  # read by C when the process began


def _look_at(skill: dict[str, Any], order: dict[str, Any], channel: Channel) -> None:
    frames = Frames(skill["artifact"])
    confine.plain_streams()
    confine.import_from(skill["artifact"])
    watch(order["each"], channel, frames, order["trace"], ends=skill["skill"])
    noticing = Noticing(frames)
    noticing.start()
    tools = {f"{module}:{qualname}": _tool(module, qualname, frames) for module, qualname in skill["tools"]}
    condition = _condition(skill["condition"], frames)
    seen = {"skill": skill["skill"], "tools": tools, "condition": condition, "ran": noticing.ran()}
    channel.send("S", json.dumps(seen).encode("ascii"))


def _tool(module: str, qualname: str, frames: Frames) -> dict[str, Any]:
    seen: dict[str, Any] = {
        "name": None, "description": None, "instantiable": False,
        "schema": None, "output_schema": None, "schema_from": "", "error": None,
    }  # fmt: skip
    try:
        tool = build(module, qualname, frames)
        seen["instantiable"] = True
        for field in ("name", "description"):
            value = getattr(tool, field, None)
            seen[field] = value if isinstance(value, str) else None
        given = input_kind(tool, frames)
        seen["schema_from"] = given.come_from
        try:
            seen["schema"] = json_schema(given, frames)
        except SchemaError as error:
            raise schema_refusal(error, tool, frames) from error
        seen["output_schema"] = output_schema(tool, frames)
    except RefusedError as refusal:
        seen["error"] = refusal.facts
    return seen


def _condition(entry: list[str] | None, frames: Frames) -> dict[str, Any] | None:
    """What is wrong with the skill's condition; None when nothing is, or there is none."""
    if entry is None:
        return None
    try:
        found = load_class(entry[0], entry[1], frames)
    except RefusedError as refusal:
        return refusal.facts
    if callable(found):
        return None
    message = f"{entry[1]} is {type(found).__name__}, and a condition is a function"
    return {"step": "class", "type": "TypeError", "message": message, "path": None, "line": None, "frames": []}
