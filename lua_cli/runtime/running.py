"""One run of one tool. In: an artifact, the tool's name, the input's text, options. Out: a RunResult. Starts one
child process.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.child.environment import child_environment, declared_values
from lua_cli.probe.json_schema import SchemaProblemError
from lua_cli.runtime.masking import masker
from lua_cli.runtime.model import RunError, RunOptions, RunResult
from lua_cli.runtime.outcome import Wording, result_of
from lua_cli.runtime.plain import plainly_fits
from lua_cli.runtime.prepared import Prepared, prepare
from lua_cli.runtime.request import InputError, compact, read_input
from lua_cli.runtime.sources import SourceNames

if TYPE_CHECKING:
    from lua_cli.bundle.model import BuiltArtifact, OpenedArtifact
    from lua_cli.child.begin import Begun
    from lua_cli.child.launch import Ended, Order


def run_tool(
    artifact: OpenedArtifact | BuiltArtifact, tool_name: str, input_text: str | bytes, options: RunOptions
) -> RunResult:
    """Run a tool of an artifact once. The input is checked against the tool's schema before anything is started.

    Raises LuaError for what is neither the input's fault nor the tool's: an artifact that is not whole, a Python that
    cannot be started.
    """
    from lua_cli.bundle import BuiltArtifact

    opened = artifact.open() if isinstance(artifact, BuiltArtifact) else artifact
    tools = opened.manifest["tools"]
    tool = next((tool for tool in tools if tool["name"] == tool_name), None)
    if tool is None:
        return RunResult(tool_name, error=not_found(tool_name, [tool["name"] for tool in tools], opened.skill))
    if "flow" in tool:
        return _run_chain(opened, tool, input_text, options)
    values = declared_values(opened.manifest["env"], options.project, env_file=options.env_file, first=options.env)
    return run_prepared(prepare(opened, tool, options), input_text, values, options)


def run_prepared(
    prepared: Prepared,
    input_text: str | bytes,
    values: Mapping[str, str],
    options: RunOptions,
    begun: Begun | None = None,
) -> RunResult:
    """Run a tool as `run_tool` does, with the values of the variables that its skill declares; `begun` is its child,
    when that was begun already."""
    tool, given = prepared.tool, list[Any]()

    def request() -> Mapping[str, Any]:
        given.append(_accepted(tool, input_text))
        return {"do": "run", "input": compact(given[0]), "http": options.http}

    folder = Path(prepared.folder)
    try:
        ended = start(
            folder,
            tool,
            request,
            values,
            options,
            timeout=options.timeout,
            finals="RT",
            early=prepared.early,
            begun=begun,
        )
    except _RefusedError as refusal:
        return RunResult(tool["name"], error=refusal.error)
    return in_words(ended, prepared, values, options, given[0])


def in_words(ended: Ended, prepared: Prepared, values: Mapping[str, str], options: RunOptions, value: Any) -> RunResult:
    """The result of a run whose input was `value`."""
    names = SourceNames(prepared.members, options.project, options.roots)
    name, limits = prepared.tool["name"], options.limits
    return result_of(ended, Wording(name, masker(values), names, options.timeout, limits, prepared.folder, value))


def _run_chain(
    opened: OpenedArtifact, tool: Mapping[str, Any], input_text: str | bytes, options: RunOptions
) -> RunResult:
    """A tool that is a chain of the artifact's flows."""
    from lua_cli.runtime.flows.bundled import run_flow_tool

    try:
        return run_flow_tool(opened, tool["name"], _accepted(tool, input_text), options)
    except _RefusedError as refusal:
        return RunResult(tool["name"], error=refusal.error)


class _RefusedError(Exception):
    """The input, or the schema that it is checked against, cannot be used."""

    def __init__(self, error: RunError) -> None:
        super().__init__(error.message)
        self.error = error


def _accepted(tool: Mapping[str, Any], text: str | bytes) -> Any:
    """The input's value. Raises _RefusedError for one that the tool's schema does not allow."""
    try:
        value = read_input(text)
        if plainly_fits(tool["inputSchema"], value):
            return value
        from lua_cli.runtime.checking import faults_of

        faults = faults_of(tool["inputSchema"], value)
    except InputError as error:
        raise _RefusedError(RunError(
            "input-invalid", error.message, path=error.path, hint=error.hint, excerpt=error.excerpt
        )) from error  # fmt: skip
    except SchemaProblemError as error:
        message = f"the tool's schema is none: {error.message} (at {error.path or '/'})"
        raise _RefusedError(RunError("tool-error", message)) from error
    if faults:
        message = f"the input does not fit {tool['name']}: {_first(faults)}"
        raise _RefusedError(RunError("input-invalid", message, path=faults[0].path, errors=faults))
    return value


def not_found(name: str, names: list[str], skill: str | None = None) -> RunError:
    """There is no such tool; the nearest names say what may be meant."""
    import difflib

    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    hint = (
        f"did you mean {', '.join(near)}?"
        if near
        else f"there are: {', '.join(sorted(names))}"
        if names
        else "there are no tools"
    )
    where = f" in skill {skill}" if skill is not None else ""
    return RunError("not-found", f"no tool {name!r}{where}", hint=hint)


def _first(faults: tuple[Any, ...]) -> str:
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{faults[0].path or 'it'} {faults[0].message}{more}"


def start(
    artifact: Path,
    tool: Mapping[str, Any],
    request: Callable[[], Mapping[str, Any]],
    values: Mapping[str, str],
    options: RunOptions,
    *,
    timeout: float,
    finals: str,
    early: tuple[str, ...] = (),
    begun: Begun | None = None,
) -> Ended:
    """Start the child of a tool, or go on with one that was begun; `request` makes what it shall do. Gives what came of
    it: its folders are gone then.
    """
    from lua_cli.child.launch import launch

    names = {"module": tool["module"], "qualname": tool["qualname"]}
    order = order_of(artifact, lambda: {**names, **request()}, values, options, timeout, finals, early, begun)
    try:
        return launch(order)
    finally:
        shutil.rmtree(order.folder, ignore_errors=True)


def order_of(
    artifact: Path,
    body: Callable[[], Mapping[str, Any]],
    values: Mapping[str, str],
    options: RunOptions,
    timeout: float,
    finals: str = "RT",
    early: tuple[str, ...] = (),
    begun: Begun | None = None,
) -> Order:
    """The order for a child of an artifact. Its folder is made here, or is that of `begun`; the starter removes it."""
    from lua_cli.child.begin import new_folder
    from lua_cli.child.launch import Order
    from lua_cli.child.sandbox import Sandbox

    folder = Path(new_folder() if begun is None else begun.folder)
    hidden = [str(path) for path in (options.project, *options.roots) if path is not None]
    names = {"artifact": str(artifact), "hidden": hidden}
    reads = (artifact, *(path for path in options.packages if not _is_hidden(path, options)))
    return Order(
        options.interpreter, lambda: {**names, **body()}, _environment(values, options), folder, timeout,
        options.limits, finals, Sandbox(options.network, reads) if options.sandbox else None, early,
        options.state.answer if options.state is not None else None, begun, options.watch,
    )  # fmt: skip


def _environment(values: Mapping[str, str], options: RunOptions) -> dict[str, str]:
    """The child's environment; played HTTP goes through no proxy."""
    environment = child_environment(values)
    if options.http is None:
        return environment
    return {name: value for name, value in environment.items() if not name.lower().endswith("_proxy")}


def _is_hidden(path: Path, options: RunOptions) -> bool:
    """A folder of packages that is the project's own code (an editable install), and no part of its Python."""
    if path.is_relative_to(options.interpreter.parent.parent):
        return False
    return any(path.is_relative_to(root) for root in (options.project, *options.roots) if root is not None)
