"""Cases of flows: a message in, what must come out. In: YAML nodes; later a project. Out: a `FlowCase`; later its
RunResult and what differs, in words.

A case begins with an empty object store. Mocks stand for blocks by address: `flow.agent[tool].block`. One that stood
for nothing, turns of the model that nobody asked for, and variables that nobody declares fail the case: what it says of
them would be true of nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.errors import LuaError
from lua_cli.records import field, record, replace
from lua_cli.runtime.expecting import exact_differences, subset_differences
from lua_cli.runtime.model import RunError, RunOptions, RunResult
from lua_cli.runtime.turncase import read_script
from lua_cli.runtime.unused import turns_left, undeclared

if TYPE_CHECKING:
    from lua_cli.flows.model import Flows
    from lua_cli.project import Project
    from lua_cli.runtime.casefile import Case, Reader
    from lua_cli.runtime.flows.around import Around, Mock
    from lua_cli.runtime.flows.invoking import Invoked
    from lua_cli.source.yaml_text import Node

KEYS = ("name", "flow", "body", "vars", "user", "env", "timeout", "http", "mocks", "script", "expect")
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
    if "user" in values and "user" in (values["vars"].value if "vars" in values else {}):
        raise reader.refuse(values["user"], "`user` becomes the variable `user`, which `vars` has as well")
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
    if "dropped" in mock.value and not mock.value["dropped"].value:
        raise reader.refuse(mock.value["dropped"], "`dropped: false` mocks nothing", "leave it out")
    alone = next((key for key in ("error", "dropped") if key in mock.value), None)
    if alone is not None and len(mock.value) > 1:
        raise reader.refuse(mock, f"a mock with `{alone}` leaves no message to give more", f"keep `{alone}` alone")


def _expect(reader: Reader, node: Node | None) -> Mapping[str, Any]:
    if node is None:
        return {}
    reader.known(node, _EXPECT, "`expect` of a flow")
    given = node.value
    if "vars" in given and not isinstance(given["vars"].value, dict):
        raise reader.refuse(given["vars"], "`vars` must be a mapping")
    if "error" in given and not isinstance(given["error"].value, str):
        raise reader.refuse(given["error"], "`error` must be a text", "a part of the message")
    if "error" in given and not given["error"].value:
        raise reader.refuse(given["error"], "an empty text is a part of every message", "a part of the message")
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
        invoked, found = _invoked(case, options, around)
    except LuaError as problem:
        words = problem.message + (f" ({problem.hint})" if problem.hint else "")
        return RunResult(case.tool, error=RunError("tool-error", problem.message)), words
    logs = "".join(f"{line.level}: {line.text}\n" for line in invoked.logs)
    error = None if invoked.error is None else RunError("tool-error", invoked.error.message)
    took = round((time.monotonic() - begun) * 1000)
    return RunResult(case.tool, invoked.body, error, took, logs, http=heard(around)), "\n".join(found) or None


def _invoked(case: Case, options: RunOptions, around: Around) -> tuple[Invoked, list[str]]:
    """What came of the case's message, and what is wrong with it. Raises LuaError for a case that cannot be played."""
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
    if case.env:
        undeclared(case.env, _declared(flows, project), f"the flow {case.tool}")
    script = script_in(given.script) if isinstance(given.script, Path) else ScriptedModel(given.script)
    model, mocks = Scripted(script), _Mocks(mocks_of(given.mocks))
    around.env, around.store, around.mocks = values, ObjectStore(None), mocks
    around.model, around.python = (lambda _connector: model), python_of_project(project, options.env_file, case.env)
    invoked = run(Engine(flows, around), case.tool, Message(given.body, {**_user(case, options), **given.vars}))
    found = list(_differences(given.expect, invoked))
    if not found and invoked.error is None and not invoked.dropped:  # else the message did not come to all blocks
        found = [f"the mock of {address} was not used" for address in mocks if address not in mocks.used]
    return invoked, found or list(turns_left(script))


class _Mocks(Mapping[str, "Mock"]):
    """Mocks that know which of them stood for a block."""

    def __init__(self, given: Mapping[str, Mock]) -> None:
        self._given, self.used = given, set[str]()

    def __getitem__(self, address: str) -> Mock:
        mock = self._given[address]
        self.used.add(address)
        return mock

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def _user(case: Case, options: RunOptions) -> dict[str, Any]:
    """The variable that holds the end user: the case's, else that of `lua test --user`."""
    from lua_cli.runtime.flows.bundled import variables_of
    from lua_cli.runtime.state import State

    return variables_of(replace(options, state=State(case.user))) if case.user is not None else variables_of(options)


def _declared(flows: Flows, project: Project) -> Iterable[str]:
    """The variables that flows declare, and those that the Python tools read which they call."""
    from lua_cli.bundle import read_build
    from lua_cli.flows.model import PYTHON

    called = {block.values["tool"] for flow in flows.flows.values() for block in flow.blocks() if block.type == PYTHON}
    build = read_build(project.output) if called else None
    manifests = [built.manifest for built in (build.artifacts.values() if build is not None else ())]
    holding = [one for one in manifests if called & {tool["name"] for tool in one["tools"]}]
    return [*flows.env, *(name for manifest in holding for name in manifest["env"])]


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
