"""Cases of flows: a message in, what must come out. In: YAML nodes; later a project. Out: a `FlowCase`; later its
RunResult and what differs, in words.

A case begins with an empty object store. Mocks stand for blocks by address: `flow.agent[tool].block`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.records import field, record
from lua_cli.runtime.expecting import exact_differences, subset_differences
from lua_cli.runtime.model import RunError, RunOptions, RunResult
from lua_cli.runtime.turncase import read_script

if TYPE_CHECKING:
    from lua_cli.flows.model import Flows
    from lua_cli.runtime.casefile import Case, Reader
    from lua_cli.runtime.flows.around import Around
    from lua_cli.runtime.flows.invoking import Invoked
    from lua_cli.source.yaml_text import Node

KEYS = ("name", "flow", "body", "vars", "env", "timeout", "http", "mocks", "script", "expect")
_MOCK = ("body", "vars", "error", "dropped")
_EXPECT = ("body", "vars", "dropped", "error")


@record(frozen=True)
class FlowCase:
    """A message for a flow. `expect` has some of: body (exactly), vars (those named), dropped, error (contained)."""

    body: Any = None
    vars: Mapping[str, Any] = field(default_factory=dict)
    mocks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    script: tuple[Mapping[str, Any], ...] | Path = ()
    expect: Mapping[str, Any] = field(default_factory=dict)


def read_flow_case(reader: Reader, node: Node, folder: Path) -> FlowCase:
    """The flow's part of a case. Raises UsageError."""
    values: dict[str, Node] = node.value
    for key in ("vars", "mocks"):
        if key in values and not isinstance(values[key].value, dict):
            raise reader.refuse(values[key], f"`{key}` must be a mapping")
    for address, mock in values["mocks"].items() if "mocks" in values else ():
        _check_mock(reader, mock, address)
    return FlowCase(
        reader.anything(values["body"]) if "body" in values else {},
        reader.anything(values["vars"]) if "vars" in values else {},
        reader.anything(values["mocks"]) if "mocks" in values else {},
        read_script(reader, values["script"], folder) if "script" in values else (),
        _expect(reader, values.get("expect")),
    )


def _check_mock(reader: Reader, mock: Node, address: str) -> None:
    """Refuse what a mock cannot do."""
    reader.known(mock, _MOCK, f"the mock of {address}")
    wanted = {"vars": (dict, "a mapping"), "error": (str, "a text"), "dropped": (bool, "true or false")}
    for key, item in mock.items():
        if key in wanted and not isinstance(item.value, wanted[key][0]):
            raise reader.refuse(item, f"`{key}` of a mock must be {wanted[key][1]}")


def _expect(reader: Reader, node: Node | None) -> Mapping[str, Any]:
    if node is None:
        return {}
    reader.known(node, _EXPECT, "`expect` of a flow")
    given = node.value
    if "vars" in given and not isinstance(given["vars"].value, dict):
        raise reader.refuse(given["vars"], "`vars` must be a mapping")
    if "error" in given and not isinstance(given["error"].value, str):
        raise reader.refuse(given["error"], "`error` must be a text", "a part of the message")
    if "dropped" in given and not isinstance(given["dropped"].value, bool):
        raise reader.refuse(given["dropped"], "`dropped` must be true or false")
    if "error" in given and len(given) > 1:
        raise reader.refuse(node, "a flow that fails has no body and no variables", "keep `error` alone")
    found = reader.anything(node)
    return found if isinstance(found, dict) else {}


def play_flow(case: Case, options: RunOptions) -> tuple[RunResult, str | None]:
    """Play a case: its result, and what is wrong with it. Whatever goes wrong is the result."""
    from lua_cli.runtime.flows.around import Around
    from lua_cli.runtime.flows.bundled import heard, transport_of

    begun = time.monotonic()
    around = Around(http=transport_of(options), until=time.monotonic() + (case.timeout or options.timeout))
    try:
        invoked = _invoked(case, options, around)
    except LuaError as problem:
        words = problem.message + (f" ({problem.hint})" if problem.hint else "")
        return RunResult(case.tool, error=RunError("tool-error", problem.message)), words
    logs = "".join(f"{line.level}: {line.text}\n" for line in invoked.logs)
    error = None if invoked.error is None else RunError("tool-error", invoked.error.message)
    took = round((time.monotonic() - begun) * 1000)
    expect = case.flow.expect if case.flow is not None else {}
    return (
        RunResult(case.tool, invoked.body, error, took, logs, http=heard(around)),
        "\n".join(_differences(expect, invoked)) or None,
    )


def _invoked(case: Case, options: RunOptions, around: Around) -> Invoked:
    from lua_cli.project import open_project
    from lua_cli.runtime.flows.engine import Engine
    from lua_cli.runtime.flows.invoking import mocks_of, python_of_project, run
    from lua_cli.runtime.flows.message import Message
    from lua_cli.runtime.flows.objects import ObjectStore
    from lua_cli.runtime.flows.opening import of_project
    from lua_cli.runtime.models.scripted import Scripted
    from lua_cli.runtime.models.scripted import read_script as script_in
    from lua_cli.sdk.scripted import ScriptedModel

    given = case.flow if case.flow is not None else FlowCase()
    if options.project is None:
        raise LuaError("there is no project to take flows of")
    project = open_project(options.project, explicit=True)
    flows, values = of_project(project, env_file=options.env_file, first=case.env)
    _refuse_unknown(given.mocks, flows)
    script = script_in(given.script) if isinstance(given.script, Path) else ScriptedModel(given.script)
    model = Scripted(script)
    around.env, around.store, around.mocks = values, ObjectStore(None), mocks_of(given.mocks)
    around.model, around.python = (lambda _connector: model), python_of_project(project, options.env_file)
    return run(Engine(flows, around), case.tool, Message(given.body, dict(given.vars)))


def _refuse_unknown(mocks: Mapping[str, Any], flows: Flows) -> None:
    """A mock of a block that is not there would let the real one run."""
    import difflib

    known = [block.address for flow in flows.flows.values() for block in flow.blocks()]
    for address in mocks:
        if address not in known:
            near = difflib.get_close_matches(address, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}"
            raise LuaError(f"no block has the address {address!r}", hint=hint)


def _differences(expect: Mapping[str, Any], invoked: Invoked) -> Iterator[str]:
    """What is not as expected; without expectations, a failure is."""
    if "error" in expect:
        if invoked.error is None:
            yield f"expected an error with {expect['error']!r}, and there is none"
        elif expect["error"] not in invoked.error.message:
            yield f"expected an error with {expect['error']!r}, got {invoked.error.message!r}"
        return
    if invoked.error is not None:
        yield f"{invoked.error.address}: {invoked.error.message}"
        return
    if invoked.dropped != expect.get("dropped", False):
        yield "the message was dropped" if invoked.dropped else "the message was not dropped"
        return
    if "body" in expect:
        yield from exact_differences(expect["body"], invoked.body)
    for name, value in expect.get("vars", {}).items():
        found = dict(invoked.vars or {})
        if name not in found:
            yield f"there is no variable {name!r}"
        else:
            yield from (f"vars.{name}: {words}" for words in subset_differences(value, found[name]))
