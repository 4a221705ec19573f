"""What was seen → what there is to say. In: a draft and its SkillSeen. Out: findings, placed in the user's files.

lua/import-failed     facts: name ("GetOrder"), reason, advice, frames ("a.py:3 in <module>" lines)
lua/schema-failed     facts: name, reason, advice
lua/probe-disagrees   facts: name, field ("name", "description"), read, seen
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.analysis.model import Finding
from lua_cli.diagnostics import Place
from lua_cli.probe.naming import in_project

if TYPE_CHECKING:
    from lua_cli.bundle.model import Draft, DraftTool
    from lua_cli.probe.model import SkillSeen, ToolSeen


def findings_of(draft: Draft, seen: SkillSeen) -> Iterator[Finding]:
    """Everything that is wrong with what was seen of a skill; the same failed import is said once."""
    if seen.error is not None:
        yield _failed(draft, f"skill {draft.skill}", seen.error, draft.place)
        return
    said: set[tuple[object, ...]] = set()
    for tool in (tool for tool in draft.tools if not tool.flow):
        found = seen.tools[f"{tool.module}:{tool.qualname}"]
        if found.error is not None:
            key = tuple(found.error.get(name) for name in ("step", "type", "message", "path", "line"))
            if key not in said or found.error["step"] == "schema":
                yield _failed(draft, tool.qualname, found.error, tool.place)
            said.add(key)
            continue
        yield from _disagreements(tool, found)
    if seen.condition is not None:
        yield _failed(draft, f"the condition of skill {draft.skill}", seen.condition, draft.place)


def _failed(draft: Draft, what: str, error: Mapping[str, Any], place: Place) -> Finding:
    code = "lua/schema-failed" if error.get("step") == "schema" else "lua/import-failed"
    reason = error["message"]
    if error.get("step") in ("import", "instance"):
        reason = f"{error['type']}: {reason}" if reason else str(error["type"])
    if error.get("step") == "instance":
        reason = f"{what}() raised {reason}"
    sources = {file.name: file.source for file in draft.files}
    frames = [(sources.get(frame["file"], frame["file"]), frame) for frame in error.get("frames", ()) if frame["file"]]
    path = sources.get(error.get("path") or "")
    if path is None and frames:
        path, line = frames[-1][0], frames[-1][1]["line"]
    else:
        line = error.get("line")
    if path is not None and line and (error.get("step") != "class" or line > 1):
        place = _line(draft, path, line, error.get("column"))
    facts = {
        "name": what,
        "reason": reason,
        "advice": in_project(error.get("hint") or "", sources),
        "frames": "\n".join(f"{source}:{frame['line']} in {frame['name']}" for source, frame in frames),
    }
    return Finding(code, place, facts)


def _line(draft: Draft, path: str, line: int, column: int | None) -> Place:
    """The whole text of a line, or one column of it."""
    text = next((file.content for file in draft.files if file.source == path), b"").decode("utf-8", "replace")
    lines = text.splitlines()
    content = lines[line - 1] if 0 < line <= len(lines) else ""
    if column:
        return Place(path, line, column, line, column + 1)
    start = len(content) - len(content.lstrip()) + 1
    return Place(path, line, start, line, max(len(content.rstrip()) + 1, start + 1))


def _disagreements(tool: DraftTool, seen: ToolSeen) -> Iterator[Finding]:
    for field, read, found in (
        ("name", tool.name, seen.name),
        ("description", tool.description, seen.description or ""),
    ):
        if read != found:
            facts = {"name": tool.qualname, "field": field, "read": repr(read), "seen": repr(found)}
            yield Finding("lua/probe-disagrees", tool.place, facts)
