"""One run of one tool. In: an artifact, the tool's name, the input's text, options. Out: a RunResult. Starts one
child process.
"""

from __future__ import annotations

import difflib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.child.environment import child_environment, declared_values
from lua_cli.probe.json_schema import SchemaProblemError
from lua_cli.runtime.checking import faults_of
from lua_cli.runtime.masking import masker
from lua_cli.runtime.model import RunError, RunOptions, RunResult
from lua_cli.runtime.outcome import Wording, result_of
from lua_cli.runtime.request import InputError, read_input

if TYPE_CHECKING:
    from lua_cli.bundle.model import BuiltArtifact, OpenedArtifact
    from lua_cli.child.launch import Ended


def run_tool(
    artifact: OpenedArtifact | BuiltArtifact, tool_name: str, input_text: str | bytes, options: RunOptions
) -> RunResult:
    """Run a tool of an artifact once. The input is checked against the tool's schema before anything is started.

    Raises LuaError for what is neither the input's fault nor the tool's: an artifact that is not whole, a Python that
    cannot be started.
    """
    from lua_cli.bundle import BuiltArtifact, unpack

    opened = artifact.open() if isinstance(artifact, BuiltArtifact) else artifact
    manifest = opened.manifest
    tool = next((tool for tool in manifest["tools"] if tool["name"] == tool_name), None)
    if tool is None:
        return RunResult(
            tool_name, error=not_found(tool_name, [tool["name"] for tool in manifest["tools"]], opened.skill)
        )
    try:
        value = read_input(input_text)
        faults = faults_of(tool["inputSchema"], value)
    except InputError as error:
        return RunResult(tool_name, error=RunError(
            "input-invalid", error.message, path=error.path, hint=error.hint, excerpt=error.excerpt
        ))  # fmt: skip
    except SchemaProblemError as error:
        return RunResult(
            tool_name,
            error=RunError("tool-error", f"the tool's schema is none: {error.message} (at {error.path or '/'})"),
        )
    if faults:
        return RunResult(tool_name, error=RunError(
            "input-invalid", f"the input does not fit {tool_name}: {_first(faults)}", path=faults[0].path, errors=faults
        ))  # fmt: skip
    values = declared_values(manifest["env"], options.project, env_file=options.env_file, first=options.env)
    artifact_folder = unpack(opened, options.cache).resolve()
    request = {"do": "run", "input": json.dumps(value), "http": options.http}
    ended = start(artifact_folder, tool, request, values, options, timeout=options.timeout, finals="RT")
    names = _source_names(opened.files, options)
    wording = Wording(tool_name, masker(values), names, options.timeout, options.limits, str(artifact_folder), value)
    return result_of(ended, wording)


def not_found(name: str, names: list[str], skill: str | None = None) -> RunError:
    """There is no such tool; the nearest names say what may be meant."""
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
    request: Mapping[str, Any],
    values: Mapping[str, str],
    options: RunOptions,
    *,
    timeout: float,
    finals: str,
) -> Ended:
    """Start the child of a tool: `request` is what it shall do. Gives what came of it; its folders are gone by then."""
    from lua_cli.child.launch import Order, launch
    from lua_cli.child.sandbox import Sandbox

    folder = Path(tempfile.mkdtemp(prefix="lua-run-")).resolve()
    hidden = [str(path) for path in (options.project, *options.roots) if path is not None]
    names = {"artifact": str(artifact), "hidden": hidden, "module": tool["module"], "qualname": tool["qualname"]}
    reads = (artifact, *(path for path in options.packages if not _is_hidden(path, options)))
    order = Order(
        options.interpreter, {**names, **request}, _environment(values, options), folder, timeout, options.limits,
        finals=finals, sandbox=Sandbox(options.network, reads) if options.sandbox else None,
    )  # fmt: skip
    try:
        return launch(order)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def _source_names(files: Mapping[str, bytes], options: RunOptions) -> dict[str, str]:
    """Member → the file in the project that it was made of, as the user knows it; members that are not there keep
    their names.
    """
    names = {}
    for member in files:
        for root in options.roots:
            if (
                (root / member).is_file()
                and options.project is not None
                and (root / member).is_relative_to(options.project)
            ):
                names[member] = (root / member).relative_to(options.project).as_posix()
                break
    return names
