"""`lua explain`: the list of rules, and who gave a class which member. In: the analysis. Out: text. Judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lua_cli.analysis.model import Analysis, Attribute, ClassInfo
from lua_cli.bundle import Draft
from lua_cli.diagnostics import Place
from lua_cli.rules import all_rules

_ATTRIBUTES = ("name", "description", "input_schema", "execute", "condition", "voice_flags")
_OF_FLOW_TOOLS = ("name", "description", "input_schema", "voice_flags", "flow")
_LONGEST_VALUE = 60
_DEFAULTS = {"condition": "none: always offered", "voice_flags": "none"}


def rule_list() -> str:
    """Every rule: its code, its severity, its title."""
    rows = [(rule.code, rule.severity, rule.title) for rule in all_rules()]
    return "\n".join(columns(rows)) + "\n"


def found_classes(analysis: Analysis, subject: str) -> list[ClassInfo]:
    """The classes that a subject names: by tool name first, else by dotted name, else by the class's own name."""
    classes = [info for _, info in sorted(analysis.classes.items())]
    registered = {use.class_dotted for skill in analysis.skills for use in skill.tools}
    for candidates in (
        [info for info in classes if info.name == subject and info.dotted in registered],
        [info for info in classes if info.dotted == subject],
        [info for info in classes if subject in (info.qualname, info.qualname.rpartition(".")[2])],
        [info for info in classes if info.name == subject],
    ):
        if candidates:
            return candidates
    return []


def explain_class(analysis: Analysis, info: ClassInfo, drafts: Iterable[Draft] = ()) -> str:
    """What a class is as a tool: where it is registered, its bases in order, who gives which member, and what is wrong;
    and for the skills that hold it, why each file is in the artifact.
    """
    title = f"{info.name} ({info.dotted})" if info.name else info.dotted
    parts = [[title, *_verdict(analysis, info)], _bases(analysis, info), _members(analysis, info)]
    parts += [files_of(draft) for draft in drafts if _holds(draft, info)]
    return joined(parts)


def joined(parts: Iterable[Sequence[str]]) -> str:
    """Paragraphs of lines as one text."""
    return "\n\n".join("\n".join(part) for part in parts if part)


def _holds(draft: Draft, info: ClassInfo) -> bool:
    if info.flow is not None:
        return any(tool.flow and (tool.name, tool.place) == (info.name, info.place) for tool in draft.tools)
    return any((tool.module, tool.qualname) == (info.module, info.qualname) for tool in draft.tools)


def files_of(draft: Draft) -> list[str]:
    """The files of an artifact, and why each is in it."""
    rows = [(f"  {file.name}", file.reason) for file in draft.files]
    return [f"files in the artifact of {draft.skill}, and why", *columns(rows)] if rows else []


def _verdict(analysis: Analysis, info: ClassInfo) -> Iterator[str]:
    if info.flow is not None:
        yield f"  is a tool that a flow answers: {_value(info.flow)}"
    elif info.is_tool:
        yield "  is a tool: it derives from lua_cli.LuaTool"
    elif info.is_tool is None:
        yield "  may be a tool: a base is only known when the code runs"
    elif info.look_alike:
        yield "  is not a tool: it has the members of one, but no base leads to lua_cli.LuaTool"
    else:
        yield "  is not a tool: no base leads to lua_cli.LuaTool"
    if info.abstract:
        asked = ", ".join(f"{member} (asked for by {_short(asker)})" for member, asker in info.abstract_members)
        yield f"  cannot be built: not implemented: {asked}"
    elif info.instantiable is False:
        yield "  cannot be built with no arguments" + (f": {', '.join(info.required)}" if info.required else "")
    for skill in analysis.skills:
        for use in skill.tools:
            if use.class_dotted == info.dotted:
                label = "skill" if skill.registered else "unregistered skill"
                yield f"  in the {label} {skill.name or '?'}, at {shown_place(use.place)}"
    for finding in analysis.findings:
        if finding.place.path == info.statement.path and (
            info.statement.line <= finding.place.line <= info.statement.end_line
        ):
            reason = finding.facts.get("reason") or finding.facts.get("expression", "")
            yield f"  {finding.code} at {shown_place(finding.place)}" + (f": {reason}" if reason else "")


def _bases(analysis: Analysis, info: ClassInfo) -> list[str]:
    if info.flow is not None:
        return []
    if info.mro is None:
        bases = ", ".join(info.bases_text) or "none"
        return ["bases, as written", f"  {bases} ({shown_place(info.place)})"]
    rows = []
    for dotted in info.mro:
        known = analysis.classes.get(dotted)
        rows.append((f"  {dotted}", shown_place(known.place) if known and not _of_sdk(dotted) else ""))
    return ["bases, in Python's order", *columns(rows)]


def _members(analysis: Analysis, info: ClassInfo) -> list[str]:
    rows = []
    for key in _ATTRIBUTES if info.flow is None else _OF_FLOW_TOOLS:
        attribute = info.attributes.get(key)
        if attribute is not None and _of_sdk(attribute.owner or ""):
            rows.append((f"  {key}", _DEFAULTS.get(key, _value(attribute)), "", ""))
        elif attribute is not None:
            owner = _short(attribute.owner) if attribute.owner else ""
            rows.append((f"  {key}", _value(attribute), owner, shown_place(attribute.place) if attribute.place else ""))
    others: dict[str, tuple[str, Place]] = {}
    for dotted in info.mro or (info.dotted,):
        known = analysis.classes.get(dotted)
        for name, place in known.members.items() if known else ():
            if name not in _ATTRIBUTES and not name.startswith("__"):
                others.setdefault(name, (_short(dotted), place))
    rows += [(f"  {name}", "", owner, shown_place(place)) for name, (owner, place) in sorted(others.items())]
    return ["members, and who gives them", *columns(rows)] if rows else []


def _of_sdk(dotted: str) -> bool:
    return dotted.startswith("lua_cli.")


def _value(attribute: Attribute) -> str:
    if attribute.state == "missing":
        return "missing"
    if attribute.state == "dynamic":
        return f"only known at run time: {attribute.reason}"
    text = f"{attribute.value}" if attribute.state == "reference" else repr(attribute.value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their cells below one another."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def shown_place(place: Place) -> str:
    """A place as a reader looks it up."""
    return f"{place.path}:{place.line}"


def _short(dotted: str) -> str:
    return dotted.rpartition(".")[2]
