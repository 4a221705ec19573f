"""drafts → what they are when imported. In: drafts, the project, a cache folder. Out: `Probed`.

Up to a child for each core looks at the skills that the cache does not know; an unchanged compile starts none.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lua_cli.child.environment import PLACEHOLDER, child_environment, declared_values
from lua_cli.child.forks import TIMED_OUT
from lua_cli.errors import LuaError
from lua_cli.plain_schema import is_plain
from lua_cli.probe.cache import ProbeCache
from lua_cli.probe.json_schema import SchemaProblemError, validator_of
from lua_cli.probe.model import Probed, SkillSeen, ToolSeen

if TYPE_CHECKING:
    from lua_cli.bundle.model import Draft
    from lua_cli.child.launch import Ended, Order
    from lua_cli.probe.ahead import Ahead
    from lua_cli.project import Project

TIMEOUT = 30.0
_MOST_AT_ONCE = 4
_START, _FORK, _PACKAGES = (
    100,
    4,
    100,
)  # to begin a child, a skill, to load packages: as long as looking at so many tools


def inspect(
    drafts: Iterable[Draft], project: Project, cache: Path, timeout: float = TIMEOUT, ahead: Ahead | None = None
) -> Probed:
    """What each draft's tools are. `timeout` is for each skill; `ahead` is a child that was begun already. Raises
    LuaError when no child can be started."""
    from lua_cli.probe.findings import findings_of  # brings the analysis, which a run of a tool has no use for

    drafts = tuple(drafts)
    values = _values(drafts, project)
    store = ProbeCache(cache / "probe", project.interpreter, values)
    seen = {draft.skill: known for draft in drafts if (known := store.load(draft)) is not None}
    missing = [draft for draft in drafts if draft.skill not in seen]
    if missing:
        fresh = _look(missing, project, values, timeout, ahead)
        for draft in missing:
            if fresh[draft.skill].whole:
                store.keep(draft, fresh[draft.skill])
        seen |= fresh
    findings = [finding for draft in drafts for finding in findings_of(draft, seen[draft.skill])]
    return Probed({draft.skill: seen[draft.skill] for draft in drafts}, tuple(findings))


def _values(drafts: Sequence[Draft], project: Project) -> dict[str, str]:
    """What the variables hold that skills declare. One that is not set has a placeholder, unless all who read it say
    what it is then."""
    names = {name for draft in drafts for name in draft.env}
    uses = [use for draft in drafts for use in draft.env_uses]
    spare = {use.name for use in uses if use.optional and use.read} - {use.name for use in uses if not use.optional}
    return {**dict.fromkeys(names - spare, PLACEHOLDER), **declared_values(names, project.root)}


def _look(
    drafts: Sequence[Draft], project: Project, values: Mapping[str, str], timeout: float, ahead: Ahead | None
) -> dict[str, SkillSeen]:
    from lua_cli.child.launch import launch_all

    groups = shared_out(drafts, cores())
    declared = {name: values[name] for draft in drafts for name in draft.env if name in values}
    orders: list[Order] = []
    try:
        try:
            orders.extend(_order(group, project, declared, timeout, ahead) for group in groups)
        except OSError:  # no folder for another child
            for begun in [order.begun for order in orders if order.begun is not None]:
                begun.drop()
            raise
        every = launch_all(orders)
    finally:
        for order in orders:
            shutil.rmtree(order.folder, ignore_errors=True)
    pairs = ((draft, ended) for group, ended in zip(groups, every, strict=True) for draft in group)
    return {draft.skill: _seen(draft, ended, timeout) for draft, ended in pairs}


def cores() -> int:
    """How many children work at once: no more than that gains anything."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MOST_AT_ONCE)


def shared_out(drafts: Sequence[Draft], count: int) -> list[list[Draft]]:
    """The skills in up to `count` groups that take about as long, of at least two skills each. The child of the first
    is begun already as a rule, and all others first have to load pydantic: few tools stay in one.
    """
    groups: list[list[Draft]] = [[] for _ in range(max(1, min(count, len(drafts) // 2)))]
    work = [0, *[_START] * (len(groups) - 1)]
    for draft in sorted(drafts, key=_work, reverse=True):
        least = work.index(min(work))
        groups[least].append(draft)
        work[least] += _work(draft)
    return [group for group in groups if group]


def _work(draft: Draft) -> int:
    """About how long it takes to look at a skill, in tools; what its packages load is not known, and may be much."""
    loads = any(each.imports.partition(".")[0] not in ("pydantic", "typing_extensions") for each in draft.requires)
    return _FORK + len(draft.tools) + (_PACKAGES if loads else 0)


def _order(
    drafts: Sequence[Draft], project: Project, declared: Mapping[str, str], timeout: float, ahead: Ahead | None
) -> Order:
    """What one child is to do. Its folder is made here, unless it was begun."""
    from lua_cli.child.begin import new_folder
    from lua_cli.child.launch import Order

    begun, folder = (ahead and ahead.take()) or (None, Path(new_folder("lua-probe-")))

    def body() -> dict[str, Any]:
        return {
            "do": "look",
            "skills": [_written(draft, folder / f"skill{number}") for number, draft in enumerate(drafts)],
            "hidden": [str(path) for path in (project.root, *project.import_roots)],
            "pydantic": any(b"pydantic" in file.content for draft in drafts for file in draft.files),
            "values": declared,
            "each": timeout,
        }

    limit, environment = timeout * len(drafts), child_environment({})
    return Order(project.interpreter.executable, body, environment, folder, limit, finals="", begun=begun)


def _written(draft: Draft, folder: Path) -> dict[str, Any]:
    """The draft's files on disk, and what to look at."""
    folder.mkdir()
    for file in draft.files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    return {
        "skill": draft.skill,
        "artifact": str(folder),
        "tools": [[tool.module, tool.qualname] for tool in draft.tools if not tool.flow],
        "condition": list(draft.condition) if draft.condition else None,
    }


def _seen(draft: Draft, ended: Ended, timeout: float) -> SkillSeen:
    for letter, frame in ended.frames:
        if letter == "S" and frame["skill"] == draft.skill:
            tools = {key: ToolSeen(**_checked(tool)) for key, tool in frame["tools"].items()}
            return SkillSeen(draft.skill, tools, condition=frame["condition"], ran=frame["ran"])
    return SkillSeen(draft.skill, {}, error=_whole_failure(draft, ended, timeout))


def _checked(tool: dict[str, Any]) -> dict[str, Any]:
    """What was seen of a tool; a schema that is none becomes an error."""
    if tool["schema"] is None or (is_plain(tool["schema"]) and _is_text(tool["schema"])):
        return tool
    try:
        validator_of(tool["schema"])
    except SchemaProblemError as problem:
        where = f" (at {problem.path})" if problem.path else ""
        hint = "see https://json-schema.org/understanding-json-schema (2020-12)"
        error = {"step": "schema", "type": "SchemaError", "message": f"it is no JSON Schema: {problem.message}{where}"}
        return {**tool, "schema": None, "error": {**error, "hint": hint, "path": None, "line": None, "frames": []}}
    return tool


def _is_text(schema: object) -> bool:
    """Whether it can be written as UTF-8: a lone surrogate in it cannot."""
    try:
        json.dumps(schema, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


def _whole_failure(draft: Draft, ended: Ended, timeout: float) -> dict[str, Any]:
    late = [frame for letter, frame in ended.frames if letter == "T" and frame["skill"] == draft.skill]
    codes = [frame["status"] for letter, frame in ended.frames if letter == "X" and frame["skill"] == draft.skill]
    if late or TIMED_OUT in codes or (not codes and ended.timed_out):
        return {
            "type": "timeout",
            "message": f"importing it took longer than {timeout:g} seconds",
            "hint": "do slow work inside `execute`, not at import",
            "frames": late[0]["frames"] if late else [],
        }
    if not codes and ended.exit_code == 0:
        raise LuaError("the child process that reads the schemas gave no answer", hint=ended.logs[-500:] or None)
    return {
        "type": "crashed",
        "message": f"importing it {_ending(codes[0] if codes else ended.exit_code)}",
        "hint": None,
        "frames": [],
    }


def _ending(code: int | None) -> str:
    if code is None:
        return "ended the process"
    if code >= 0:
        return f"ended the process with exit({code})"
    try:
        return f"crashed the process ({signal.Signals(-code).name})"
    except ValueError:
        return f"crashed the process (signal {-code})"
