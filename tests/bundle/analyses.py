"""An analysis as the stage before would give it, for tests that are about what comes after."""

from __future__ import annotations

from typing import Any

from lua_cli.analysis.model import AgentInfo, Analysis, Attribute, ClassInfo, Entry, SkillInfo, ToolUse
from lua_cli.diagnostics import Place
from lua_cli.project import Project


def place(path: str, line: int = 1) -> Place:
    return Place(path, line, 1, line, 2)


def known(name: str, value: object, where: Place) -> Attribute:
    return Attribute(name, "missing" if value is None else "known", value, where, "owner")


def tool(dotted: str, path: str, **values: Any) -> ClassInfo:
    """The class `module.Class` in the file `path`; its tool's name is that of its module."""
    module, _, qualname = dotted.rpartition(".")
    where = place(path)
    given = {"name": module.rpartition(".")[2], "description": f"What {qualname} does.", **values}
    names = ("name", "description", "input_schema", "execute", "condition", "voice_flags")
    attributes = {name: known(name, given.get(name), where) for name in names}
    return ClassInfo(dotted, module, qualname, where, where, True, False, True, (dotted,), attributes=attributes)


def skill(
    name: str, tools: list[ClassInfo], *, registered: bool = True, condition: Entry | None = None, **values: Any
) -> SkillInfo:
    where = place("agent.py", 3)
    attributes = {key: known(key, values.get(key), where) for key in ("description", "context", "instructions")}
    uses = tuple(ToolUse("instance", where, f"{info.qualname}()", info.dotted) for info in tools)
    return SkillInfo(
        where, where, "agent", registered, {**attributes, "name": known("name", name, where)}, uses, condition=condition
    )


def analysis(
    project: Project, skills: list[SkillInfo], classes: list[ClassInfo], modules: dict[str, str] | None = None
) -> Analysis:
    """One agent with those of the skills that are registered."""
    where = place("agent.py", 9)
    held = tuple(position for position, one in enumerate(skills) if one.registered)
    names = ("name", "persona", "model", "max_iterations", "mcp_servers")
    agent = AgentInfo(where, where, "agent", "agent", {key: known(key, None, where) for key in names}, held)
    by_name = {info.dotted: info for info in classes}
    return Analysis(project.relative(project.entry), (agent,), tuple(skills), by_name, (), modules or {})
