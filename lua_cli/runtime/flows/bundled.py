"""The flows of an artifact, ready to run. In: an opened artifact, how to run. Out: an Engine and its agent; the result
of one tool. What the project has beside the artifact is not read, its `.env` apart.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.flows.json_text import compact
from lua_cli.flows.model import Agent, Block, Flow, FlowTool
from lua_cli.runtime.flows.agent import call
from lua_cli.runtime.flows.around import Around
from lua_cli.runtime.flows.engine import Engine
from lua_cli.runtime.flows.message import BlockError, Message
from lua_cli.runtime.flows.objects import FILE, ObjectStore
from lua_cli.runtime.flows.opening import of_artifact
from lua_cli.runtime.masking import masker
from lua_cli.runtime.model import RunError, RunOptions, RunResult

if TYPE_CHECKING:
    import httpx

    from lua_cli.bundle.model import OpenedArtifact


@dataclass(frozen=True, slots=True)
class Bundled:
    """An artifact's agent, with the engine of its flows. Close it at the end."""

    engine: Engine
    flow: Flow
    block: Block
    agent: Agent
    values: Mapping[str, str]
    store: ObjectStore

    def tool(self, name: str) -> FlowTool:
        """The agent's tool of that name, which the manifest has."""
        return next(tool for tool in self.agent.tools if tool.name == name)

    def close(self) -> None:
        """Close the object store."""
        self.store.close()


def open_bundled(opened: OpenedArtifact, options: RunOptions) -> Bundled:
    """Load the flows of an artifact. Raises LuaError for one whose flows are not those of its manifest."""
    flows, values = of_artifact(opened, options.project, env_file=options.env_file, first=options.env)
    address = opened.manifest["flow"]["block"]
    found = next(((flow, block) for flow, block in flows.agents() if block.address == address), None)
    if found is None or found[1].agent is None:
        raise LuaError(f"the artifact has no agent at {address}", hint="compile the project again: lua compile")
    flow, block = found
    database = options.state.database if options.state is not None else None
    store = ObjectStore(database.parent / FILE if database is not None else None)
    around = Around(
        env=values, store=store, python=_python(opened, options), until=time.monotonic() + options.timeout,
        http=transport_of(options),
    )  # fmt: skip
    return Bundled(Engine(flows, around), flow, block, found[1].agent, values, store)


def transport_of(options: RunOptions) -> httpx.BaseTransport | None:
    """Who answers `rest`: the network, where nothing else is asked for."""
    if options.http is None and (not options.sandbox or options.network):
        return None
    from lua_cli.runtime.flows.played import Closed, Played

    return Closed() if options.http is None else Played(options.http)


def heard(around: Around) -> dict[str, Any]:
    """What was exchanged, where exchanges were played or recorded."""
    from lua_cli.runtime.flows.played import Played

    return around.http.document() if isinstance(around.http, Played) else {}


def variables_of(options: RunOptions) -> dict[str, Any]:
    """The variables that a message begins with: the end user, as the channel verified it."""
    user = options.state.user if options.state is not None else None
    return {} if user is None else {"user": {"id": user.id, "data": dict(user.data)}}


def run_flow_tool(opened: OpenedArtifact, name: str, value: Any, options: RunOptions) -> RunResult:
    """Run one tool of an artifact's agent, with an input that fits its schema."""
    begun = time.monotonic()
    bundled = open_bundled(opened, options)
    try:
        result = call(bundled.engine, bundled.tool(name), Message(vars=variables_of(options)), value)
    finally:
        bundled.close()
    mask = masker(bundled.values)
    took, logs = round((time.monotonic() - begun) * 1000), mask(result.logs)
    http = heard(bundled.engine.around) if options.http is not None else {}
    if result.error is None:
        return RunResult(name, output=result.output, duration_ms=took, logs=logs, http=http)
    late = time.monotonic() >= bundled.engine.around.until
    message = f"it took longer than {options.timeout:g} seconds" if late else mask(result.error.message)
    error = RunError("timeout" if late else "tool-error", message, hint="--timeout allows more" if late else None)
    return RunResult(name, error=error, duration_ms=took, logs=logs, http=http)


def _python(opened: OpenedArtifact, options: RunOptions) -> Any:
    """Runs the Python tools that the artifact holds."""
    entries = {entry["tool"]: entry for entry in opened.manifest["flow"]["python"]}
    blank = {"description": "", "inputSchema": {"type": "object"}, "outputSchema": None, "hasCondition": False}

    def run(name: str, value: Any, seconds: float) -> Any:
        from lua_cli.runtime.running import run_tool

        entry = entries.get(name)
        if entry is None:
            raise BlockError(f"the artifact has no Python tool {name!r}")
        tool = {**blank, "name": name, "module": entry["module"], "qualname": entry["qualname"], "voiceFlags": []}
        inner = replace(opened, manifest={**opened.manifest, "tools": [tool]})
        result = run_tool(inner, name, compact(value), replace(options, timeout=seconds))
        if result.error is not None:
            raise BlockError(f"{name}: {result.error.message}")
        return result.output

    return run
