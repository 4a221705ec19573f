"""Runs cases. In: cases, the built artifacts, options. Out: a CaseResult each, in order. Several children run at
once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lua_cli.child.environment import declared_values
from lua_cli.errors import LuaError
from lua_cli.records import record, replace
from lua_cli.runtime.casefile import Case
from lua_cli.runtime.expecting import difference
from lua_cli.runtime.flows.casing import play_flow
from lua_cli.runtime.masking import masker
from lua_cli.runtime.model import RunOptions, RunResult
from lua_cli.runtime.recording import read_recording, write_recording
from lua_cli.runtime.running import not_found, run_tool
from lua_cli.runtime.state import State
from lua_cli.runtime.unused import undeclared

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact


@record(frozen=True)
class CaseResult:
    """What became of a case.

    message    what is wrong; None when nothing is
    unreached  why it was not played, or not often enough: the model could not be reached
    runs       of a case that a real model plays: how many were good, wrong, and did not reach it
    """

    case: Case
    result: RunResult
    message: str | None
    unreached: LuaError | None = None
    runs: Mapping[str, Any] | None = None

    @property
    def ok(self) -> bool:
        return self.message is None

    def document(self) -> dict[str, Any]:
        """The case in `lua test --json`."""
        case = self.case
        record: dict[str, Any] = {
            "file": case.file,
            "line": case.line,
            "name": case.name,
            "tool": case.tool,
            "ok": self.ok,
        }
        if self.unreached is not None:
            record["unreached"] = self.unreached.kind.replace("_", "-")
        if self.runs is not None:
            record["runs"] = dict(self.runs)
        return {**record, "message": self.message, "durationMs": self.result.duration_ms}


def run_cases(
    cases: Sequence[Case],
    artifacts: Mapping[str, OpenedArtifact],
    options: RunOptions,
    record: bool = False,
    play: Callable[[Case], CaseResult] | None = None,
) -> Iterator[CaseResult]:
    """Run every case against the artifacts, by skill name. What a case gets wrong is its result, never an exception.

    `play` plays those that are conversations. `record`: cases whose `http` is a file use the network, and the file is
    written anew. Raises UsageError for a recording that is not there or cannot be used.
    """
    for case in cases:
        http_of(case, record)

    def run(case: Case) -> CaseResult:
        if case.turns is not None and play is not None:
            return play(case)
        if case.flow is not None:
            return _of_flow(case, options, record)
        return _run(case, artifacts, options, record)

    with ThreadPoolExecutor(max(1, min(4, os.cpu_count() or 1))) as pool:
        yield from pool.map(run, cases)


def _of_flow(case: Case, options: RunOptions, record: bool) -> CaseResult:
    result, message = play_flow(case, replace(options, http=http_of(case, record)))
    if result.http.get("recorded") and case.http is not None and case.http.file is not None:
        write_recording(case.http.file, result.http["recorded"], masker(case.env))
    unmatched = result.http.get("unmatched") or []
    return CaseResult(case, result, f"no exchange of the case's `http` fits {unmatched[0]}" if unmatched else message)


def _run(case: Case, artifacts: Mapping[str, OpenedArtifact], options: RunOptions, record: bool) -> CaseResult:
    holders = [skill for skill, artifact in artifacts.items() if case.tool in _tools(artifact)]
    if case.skill is not None:
        holders = [skill for skill in holders if skill == case.skill]
    if not holders:
        names = sorted({name for artifact in artifacts.values() for name in _tools(artifact)})
        error = not_found(case.tool, names, case.skill)
        return CaseResult(case, RunResult(case.tool, error=error), f"{error.message}; {error.hint}")
    artifact = artifacts[holders[0]]
    try:
        undeclared(case.env, artifact.manifest["env"], f"the skill {holders[0]}")
    except LuaError as problem:
        return CaseResult(case, RunResult(case.tool), f"{problem.message}; {problem.hint}")
    state = State(case.user or (options.state.user if options.state is not None else None))
    own = replace(
        options, env=case.env, timeout=case.timeout or options.timeout, http=http_of(case, record), state=state
    )  # fmt: skip
    try:
        result = run_tool(artifact, case.tool, json.dumps(case.input), own)
    finally:
        state.close()
    if result.http.get("recorded") and case.http is not None and case.http.file is not None:
        values = declared_values(artifact.manifest["env"], options.project, env_file=options.env_file, first=case.env)
        write_recording(case.http.file, result.http["recorded"], masker(values))
    unmatched = result.http.get("unmatched") or []
    if unmatched:
        return CaseResult(case, result, f"no exchange of the case's `http` fits {unmatched[0]}")
    return CaseResult(case, result, difference(case.expect, result))


def http_of(case: Case, record: bool) -> dict[str, Any] | None:
    """What the child shall play or record; None without `http`."""
    if case.http is None:
        return None
    if case.http.file is None:
        return {"exchanges": list(case.http.exchanges), "record": False}
    return {"exchanges": [] if record else read_recording(case.http.file), "record": record}


def _tools(artifact: OpenedArtifact) -> set[str]:
    return {tool["name"] for tool in artifact.manifest["tools"]}
