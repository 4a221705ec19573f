"""Builds the document of `lua compile --format json`: what was found, as plain JSON data.

In: the analysis, the diagnostics, the artifacts that were written and the schemas that the probe saw. Out: a dict
that every renderer works from and that a cache can keep. What is not known is null; everything found is listed, with
errors too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from lua_cli.diagnostics import Diagnostic, Edit, Fix, Place, Related

if TYPE_CHECKING:
    from lua_cli.analysis.model import AgentInfo, Analysis, Attribute, ClassInfo, SkillInfo, ToolUse
    from lua_cli.flows.model import Block, Flow, Flows
    from lua_cli.project import Project

DOCUMENT_VERSION = 1


class Built(Protocol):
    """What the document needs of an artifact."""

    @property
    def digest(self) -> str: ...


def build_document(
    project: Project,
    analysis: Analysis,
    diagnostics: Iterable[Diagnostic],
    *,
    ok: bool,
    artifacts: Mapping[str, Built] | None = None,
    schemas: Mapping[str, Mapping[str, Any]] | None = None,
    flows: Flows | None = None,
) -> dict[str, Any]:
    """The document. `artifacts` goes by skill name; `schemas` by "module:qualname", each {"inputSchema": …} as
    `bundle.seal` takes it.
    """
    registered = [skill for skill in analysis.skills if skill.registered]
    agents = flows.agents() if flows is not None else []
    return {
        "version": DOCUMENT_VERSION,
        "ok": ok,
        "entry": project.relative(project.entry),
        "agents": [*(_agent(agent) for agent in analysis.agents), *(_flow_agent(flow, b) for flow, b in agents)],
        "skills": [
            *(_skill(skill, analysis, project, artifacts or {}) for skill in registered),
            *(_flow_skill(block, project, artifacts or {}) for _, block in agents),
        ],
        "tools": [
            *_tools(registered, analysis, schemas or {}),
            *(t for _, block in agents for t in _flow_tools(block)),
        ],
        "classes": [_class(info) for info in _listed_classes(registered, analysis)],
        "diagnostics": [diagnostic_record(diagnostic) for diagnostic in diagnostics],
    }


def _agent(agent: AgentInfo) -> dict[str, Any]:
    return {"name": agent.name, "path": agent.place.path, "line": agent.place.line}


def _flow_agent(flow: Flow, block: Block) -> dict[str, Any]:
    return {"name": block.label, "path": block.place.path, "line": block.place.line, "flow": flow.name}


def _flow_skill(block: Block, project: Project, artifacts: Mapping[str, Built]) -> dict[str, Any]:
    """An agent of flows is one skill."""
    built = artifacts.get(block.label)
    return {
        "name": block.label,
        "path": block.place.path,
        "line": block.place.line,
        "tools": [tool.name for tool in block.agent.tools] if block.agent else [],
        "artifact": _artifact(project, block.label) if built else None,
        "digest": built.digest if built else None,
    }


def _flow_tools(block: Block) -> list[dict[str, Any]]:
    """The tools of an agent of flows: chains, which have an address in place of a class."""
    return [
        {
            "name": tool.name,
            "class": None,
            "flow": tool.chain.address,
            "path": tool.place.path,
            "line": tool.place.line,
            "description": tool.description,
            "inputSchema": dict(tool.schema),
            "hasCondition": False,
            "skills": [block.label],
        }
        for tool in (block.agent.tools if block.agent else ())
    ]


def _skill(skill: SkillInfo, analysis: Analysis, project: Project, artifacts: Mapping[str, Built]) -> dict[str, Any]:
    built = artifacts.get(skill.name) if skill.name is not None else None
    return {
        "name": skill.name,
        "path": skill.place.path,
        "line": skill.place.line,
        "tools": tool_names(skill, analysis),
        "artifact": _artifact(project, skill.name) if built and skill.name else None,
        "digest": built.digest if built else None,
    }


def tool_names(skill: SkillInfo, analysis: Analysis) -> list[Any]:
    """What the tools of a skill are called, where that is known."""
    names = [_name(info) for _, info in _found(skill, analysis)]
    return [name for name in names if name is not None]


def _artifact(project: Project, skill: str) -> str:
    from lua_cli.bundle import artifact_path

    return project.relative(artifact_path(project.output, skill))


def _tools(
    skills: Iterable[SkillInfo], analysis: Analysis, schemas: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """One entry a tool class with the skills that hold it; a class that one skill holds twice is listed twice."""
    entries: dict[tuple[str, int], dict[str, Any]] = {}
    for skill in skills:
        seen: dict[str, int] = {}
        for _, info in _found(skill, analysis):
            occurrence = seen[info.dotted] = seen.get(info.dotted, 0) + 1
            key = (info.dotted, occurrence)
            if key not in entries:
                entries[key] = _tool(info, schemas.get(f"{info.module}:{info.qualname}"))
            entries[key]["skills"].append(skill.name)
    return list(entries.values())


def _tool(info: ClassInfo, schemas: Mapping[str, Any] | None) -> dict[str, Any]:
    stated = info.attributes.get("input_schema")
    written = _plain(stated.value) if stated and stated.state == "known" and isinstance(stated.value, dict) else None
    if info.flow is not None and stated and stated.state == "known" and stated.value is None:
        written = {"type": "object"}  # any object, as for the tools of flows
    description = info.attributes.get("description")
    return {
        "name": _name(info),
        "class": info.dotted if info.flow is None else None,
        **({"flow": info.flow.text} if info.flow is not None else {}),
        "path": info.place.path,
        "line": info.place.line,
        "description": description.text if description else None,
        "inputSchema": schemas.get("inputSchema") if schemas else written,
        "hasCondition": _given(info.attributes.get("condition")),
        "skills": [],
    }


def _class(info: ClassInfo) -> dict[str, Any]:
    return {
        "class": info.dotted,
        "isTool": info.is_tool,
        "abstract": info.abstract,
        "instantiable": info.instantiable,
        "name": info.name,
    }


def _listed_classes(skills: Iterable[SkillInfo], analysis: Analysis) -> list[ClassInfo]:
    """Classes of the project that derive or may derive from LuaTool, and whatever else was registered as a tool."""
    used = {use.class_dotted for skill in skills for use in skill.tools}
    return [
        info
        for dotted, info in sorted(analysis.classes.items())
        if info.flow is None and ((info.is_tool is not False and info.module in analysis.modules) or dotted in used)
    ]


def _found(skill: SkillInfo, analysis: Analysis) -> list[tuple[ToolUse, ClassInfo]]:
    """The elements of a skill that are, or may be, tools of a class that was read."""
    pairs = [(use, analysis.tool_class(use)) for use in skill.tools if use.form in ("instance", "class")]
    return [(use, info) for use, info in pairs if info is not None and info.is_tool is not False]


def _name(info: ClassInfo) -> Any:
    """The name as the class has it, also when it is no string (a diagnostic says so); None when it is not known."""
    attribute = info.attributes.get("name")
    return _plain(attribute.value) if attribute and attribute.state == "known" else None


def _plain(value: object) -> Any:
    """`value` when JSON can say it, else None."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return value


def _given(attribute: Attribute | None) -> bool | None:
    """Whether the tool brings a `condition` of its own; the one of LuaTool itself always says yes and does not
    count.
    """
    if attribute is None or attribute.state == "missing" or (attribute.owner or "").startswith("lua_cli."):
        return False
    return None if attribute.state == "dynamic" else True


def diagnostic_record(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as the document has it; `diagnostic_from_record` is its inverse."""
    fix = diagnostic.fix
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_span(diagnostic.place),
        "help": diagnostic.help,
        "fixable": fix is not None,
        "fix": {"title": fix.title, "edits": [_span(edit.place) | {"text": edit.text} for edit in fix.edits]}
        if fix
        else None,
        "related": [_span(related.place) | {"message": related.message} for related in diagnostic.related],
    }


def diagnostic_from_record(record: Mapping[str, Any]) -> Diagnostic:
    fix = record["fix"]
    return Diagnostic(
        code=record["code"],
        severity=record["severity"],
        message=record["message"],
        place=_place(record),
        help=record["help"],
        fix=Fix(fix["title"], tuple(Edit(_place(edit), edit["text"]) for edit in fix["edits"])) if fix else None,
        related=tuple(Related(_place(related), related["message"]) for related in record["related"]),
    )


def _span(place: Place) -> dict[str, Any]:
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _place(record: Mapping[str, Any]) -> Place:
    return Place(record["path"], record["line"], record["column"], record["endLine"], record["endColumn"])
