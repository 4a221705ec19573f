"""The flows of an artifact, ready to run. In: an opened artifact, how to run. Out: an Engine and its agent; the result
of one tool. What the project has beside the artifact is not read, its `.env` apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.flows.json_text import compact
from lua_cli.flows.model import FLOW_REF, Agent, Block, Chain, Flow, FlowTool
from lua_cli.records import record, replace
from lua_cli.runtime.flows.agent import call
from lua_cli.runtime.flows.around import Around
from lua_cli.runtime.flows.engine import Engine
from lua_cli.runtime.flows.message import BlockError, Message
from lua_cli.runtime.flows.objects import FILE, ObjectStore
from lua_cli.runtime.flows.opening import of_artifact
from lua_cli.runtime.masking import masker
from lua_cli.runtime.model import RunError, RunOptions, RunResult
from lua_cli.runtime.turns.cancellation import Cancellation

if TYPE_CHECKING:
    import httpx

    from lua_cli.bundle.model import OpenedArtifact


@record(frozen=True)
class Bundled:
    """An artifact's agent, with the engine of its flows. Close it at the end."""

    engine: Engine
    flow: Flow
    block: Block
    agent: Agent
    values: Mapping[str, str]
    store: ObjectStore

    def close(self) -> None:
        """Close the object store."""
        self.store.close()


def open_bundled(opened: OpenedArtifact, options: RunOptions) -> Bundled:
    """Load an artifact's agent of flows. Raises LuaError for one whose flows are not those of its manifest."""
    engine, values, store = _engine(opened, options)
    flow, block, agent = _agent(opened, engine)
    return Bundled(engine, flow, block, agent, values, store)


def _engine(opened: OpenedArtifact, options: RunOptions) -> tuple[Engine, Mapping[str, str], ObjectStore]:
    """The engine of an artifact's flows, the values of their variables, the object store."""
    flows, values = of_artifact(opened, options.project, env_file=options.env_file, first=options.env)
    database = options.state.database if options.state is not None else None
    store = ObjectStore(database.parent / FILE if database is not None else None)
    cancellation = Cancellation()
    around = Around(
        env=values, store=store, python=_python(opened, replace(options, watch=cancellation.when_cancelled)),
        until=time.monotonic() + options.timeout, http=transport_of(options), cancellation=cancellation,
    )  # fmt: skip
    return Engine(flows, around), values, store


def _agent(opened: OpenedArtifact, engine: Engine) -> tuple[Flow, Block, Agent]:
    address = opened.manifest["flow"]["block"]
    found = next(((flow, block) for flow, block in engine.flows.agents() if block.address == address), None)
    if found is None or found[1].agent is None:
        raise LuaError(f"the artifact has no agent at {address}", hint="compile the project again: lua compile")
    return *found, found[1].agent


def _tool(opened: OpenedArtifact, engine: Engine, name: str) -> FlowTool:
    """A tool that the manifest has: one of the agent's, or a flow that a skill in Python calls as `flow-ref` does."""
    if "flow" in opened.manifest:
        return next(tool for tool in _agent(opened, engine)[2].tools if tool.name == name)
    entry = next(entry for entry in opened.manifest["tools"] if entry["name"] == name)
    flow = engine.flows.flows.get(entry["flow"])
    if flow is None:
        raise LuaError(f"the artifact has no flow {entry['flow']!r}", hint="compile the project again: lua compile")
    chain = f"{opened.skill}[{name}]"
    call = Block(FLOW_REF, FLOW_REF, f"{chain}.{FLOW_REF}", flow.place, {"flow": flow.name})
    return FlowTool(name, entry["description"], entry["inputSchema"], Chain(chain, (call,)), flow.place)


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
    """Run one tool of an artifact that its flows answer, with an input that fits its schema."""
    begun = time.monotonic()
    engine, values, store = _engine(opened, options)
    forget = options.watch(engine.around.cancellation.cancel) if options.watch is not None else None
    try:
        result = call(engine, _tool(opened, engine, name), Message(vars=variables_of(options)), value)
    finally:
        store.close()
        if forget is not None:
            forget()
    mask = masker(values)
    took, logs = round((time.monotonic() - begun) * 1000), mask(result.logs)
    http = heard(engine.around) if options.http is not None else {}
    if result.error is None:
        return RunResult(name, output=result.output, duration_ms=took, logs=logs, http=http)
    late = time.monotonic() >= engine.around.until
    message = f"it took longer than {options.timeout:g} seconds" if late else mask(result.error.message)
    block = f"the block is {result.error.block}" if result.error.block else None
    error = RunError("timeout" if late else "tool-error", message, hint="--timeout allows more" if late else block)
    return RunResult(name, error=error, duration_ms=took, logs=logs, http=http)


def _python(opened: OpenedArtifact, options: RunOptions) -> Any:
    """Runs the Python tools that the artifact holds."""
    called = opened.manifest["flow" if "flow" in opened.manifest else "flows"]["python"]
    entries = {entry["tool"]: entry for entry in called}
    blank = {"description": "", "inputSchema": {"type": "object"}, "outputSchema": None, "hasCondition": False}

    def run(name: str, value: Any, seconds: float, heard: Callable[[str], None]) -> Any:
        from lua_cli.runtime.running import run_tool

        entry = entries.get(name)
        if entry is None:
            raise BlockError(f"the artifact has no Python tool {name!r}")
        tool = {**blank, "name": name, "module": entry["module"], "qualname": entry["qualname"], "voiceFlags": []}
        inner = replace(opened, manifest={**opened.manifest, "tools": [tool]})
        result = run_tool(inner, name, compact(value), replace(options, timeout=seconds))
        heard(result.logs)
        if result.error is not None:
            raise BlockError(f"{name}: {result.error.message}")
        return result.output

    return run
