"""One call of one flow. In: a project, a flow's name, a message. Out: an `Invoked`, whatever the flow did."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.flows.json_text import compact, normal
from lua_cli.flows.model import Connector
from lua_cli.records import record
from lua_cli.runtime.flows.around import Around, LogLine, Mock, Python
from lua_cli.runtime.flows.engine import Engine
from lua_cli.runtime.flows.message import DroppedError, FlowError, Message
from lua_cli.runtime.flows.objects import FILE, ObjectStore
from lua_cli.runtime.flows.opening import of_project
from lua_cli.runtime.models.choosing import choose_model

if TYPE_CHECKING:
    from lua_cli.project import Project
    from lua_cli.runtime.turns.model import Entry, Model

TIMEOUT = 30.0


@record(frozen=True)
class Invoked:
    """What came of a flow: body and variables; or it was dropped; or it failed."""

    flow: str
    body: Any = None
    vars: Mapping[str, Any] | None = None
    dropped: bool = False
    error: FlowError | None = None
    logs: tuple[LogLine, ...] = ()
    transcript: tuple[Entry, ...] = ()
    duration_ms: int = 0

    def document(self) -> dict[str, Any]:
        """What `lua flow invoke --json` prints."""
        logs = [
            {"level": line.level, "text": line.text, **({"logger": line.logger} if line.logger else {})}
            for line in self.logs
        ]
        tail: dict[str, Any] = {"logs": logs, "durationMs": self.duration_ms}
        if self.transcript:
            tail["transcript"] = [entry.document() for entry in self.transcript]
        if self.error is not None:
            error = {"type": "flow-error", "message": self.error.message, "block": self.error.block}
            cause = self.error.__cause__
            if isinstance(cause, LuaError) and cause.hint:
                error["hint"] = cause.hint
            return {"ok": False, "flow": self.flow, "error": {**error, "address": self.error.address}, **tail}
        if self.dropped:
            return {"ok": True, "flow": self.flow, "dropped": True, **tail}
        shown = {"body": self.body, "vars": self.vars}
        return {"ok": True, "flow": self.flow, "dropped": False, **shown, **tail}


def invoke_flow(
    project: Project,
    name: str,
    body: Any,
    variables: Mapping[str, Any],
    *,
    model: str | None = None,
    timeout: float = TIMEOUT,
    env_file: Path | None = None,
) -> Invoked:
    """Call a flow of the project. Raises NotFoundError, and LuaError for flows that have errors."""
    flows, values = of_project(project, env_file=env_file)
    store = ObjectStore(project.output / FILE)
    around = Around(
        env=values,
        store=store,
        model=model_maker(model, Path.cwd()),
        python=python_of_project(project, env_file),
        until=time.monotonic() + timeout,
    )
    try:
        return run(Engine(flows, around), name, Message(body, dict(variables)))
    finally:
        store.close()


def run(engine: Engine, name: str, message: Message) -> Invoked:
    """Run a flow to its end, whichever that is."""
    begun = time.monotonic()
    around = engine.around

    def invoked(**facts: Any) -> Invoked:
        took = round((time.monotonic() - begun) * 1000)
        return Invoked(
            name, logs=tuple(around.logs), transcript=tuple(around.transcript), duration_ms=took, **facts
        )  # fmt: skip

    try:
        done = engine.invoke(name, message)
    except DroppedError:
        return invoked(dropped=True)
    except FlowError as error:
        error.message = around.masked(error.message)
        return invoked(error=error)
    return invoked(body=normal(done.body), vars=normal(done.vars))


def model_maker(asked: str | None, folder: Path) -> Callable[[Connector | None], Model]:
    """Who plays agents: what is asked for, else the connector's `model`, else LUA_MODEL's. One model for one script, so
    that the turns of a script go on from agent to agent.
    """
    made: dict[str | None, Model] = {}

    def make(connector: Connector | None) -> Model:
        own = connector.settings.get("model") if connector is not None else None
        name = asked or (own if isinstance(own, str) else None)
        if name not in made:
            made[name] = choose_model(asked, own if isinstance(own, str) else None, os.environ, folder)
        return made[name]

    return make


def python_of_project(project: Project, env_file: Path | None, env: Mapping[str, str] | None = None) -> Python:
    """Runs Python tools out of the project's artifacts; variables of `env` go before all others."""

    def call(name: str, value: Any, seconds: float, heard: Callable[[str], None]) -> Any:
        from lua_cli.bundle import read_build
        from lua_cli.runtime.flows.message import BlockError
        from lua_cli.runtime.model import RunOptions
        from lua_cli.runtime.running import run_tool

        build = read_build(project.output)
        holders = [built for built in (build.artifacts.values() if build else ()) if name in _tools(built.manifest)]
        if not holders:
            raise BlockError(f"there is no Python tool {name!r} in the build (lua compile)")
        options = RunOptions(
            interpreter=project.interpreter.executable, cache=project.output / "cache" / "unpacked",
            project=project.root, roots=project.import_roots, timeout=seconds, env_file=env_file,
            env=env or {}, packages=project.interpreter.packages,
        )  # fmt: skip
        result = run_tool(holders[0], name, compact(value), options)
        heard(result.logs)
        if result.error is not None:
            raise BlockError(f"{name}: {result.error.message}")
        return result.output

    return call


def _tools(manifest: Mapping[str, Any]) -> set[str]:
    return {tool["name"] for tool in manifest["tools"] if "flow" not in tool}


def mocks_of(given: Mapping[str, Mapping[str, Any]]) -> dict[str, Mock]:
    """Mocks as a case has them."""
    return {
        address: Mock(
            mock.get("body"), "body" in mock, mock.get("vars", {}), mock.get("error"), bool(mock.get("dropped"))
        )
        for address, mock in given.items()
    }
