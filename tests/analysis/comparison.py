"""Compares an analysis with what the oracle saw: what is wrong, and nobody was told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lua_cli.analysis import Analysis, ClassInfo
from lua_cli.diagnostics import Diagnostic, Place

ELSEWHERE = ("lua/runtime-mutation", "lua/ambiguous-binding")  # told where it happens, which may be anywhere


def silent_mistakes(analysis: Analysis, diagnostics: Iterable[Diagnostic], seen: dict[str, Any]) -> list[str]:
    """Answers that are definite and wrong, with no diagnostic about them; tools that are missing or too many, with none
    at all."""
    told = [diagnostic.place for diagnostic in diagnostics]
    out: list[str] = []
    for dotted, real in seen["classes"].items():
        info = analysis.classes.get(dotted)
        if info is None:
            if real["isTool"] and not told:
                out.append(f"{dotted} is not listed, Python says {real}")
            continue
        if info.is_tool is False and not real["isTool"] and _has_namesake(info, analysis):
            continue  # of which of two a name stands for, only tools are spoken
        answers = {"isTool": info.is_tool, "abstract": info.abstract, "instantiable": info.instantiable}
        name = info.attributes["name"]
        if name.state in ("known", "missing"):
            answers["name"] = name.text  # type: ignore[assignment]
        for key, answer in answers.items():
            definite = answer is not None or key == "name"
            if definite and answer != real[key] and not _is_told(info, analysis, told):
                out.append(f"{dotted}: {key} is {answer!r}, Python says {real[key]!r}")
    if seen["error"] is None and not told:
        registered = {
            skill.name: sorted(
                str(analysis.classes[use.class_dotted].attributes["name"].value)
                for use in skill.tools
                if use.class_dotted
            )
            for skill in analysis.skills
            if skill.registered
        }
        real_names = {skill: sorted(str(name) for _, name in tools) for skill, tools in seen["registered"].items()}
        if registered != real_names:
            out.append(f"registered: {registered}, Python says {real_names}")
    return out


def _has_namesake(info: ClassInfo, analysis: Analysis) -> bool:
    return any(dotted.startswith(f"{info.dotted} (line") for dotted in analysis.classes)


def _is_told(info: ClassInfo, analysis: Analysis, told: list[Place]) -> bool:
    """Whether a diagnostic is about the class: in its statement or a base's, or about a change to one of them."""
    chain = [info, *(analysis.classes[base] for base in info.mro or () if base in analysis.classes)]
    statements = [one.statement for one in chain]
    if any(s.path == p.path and s.line <= p.line <= s.end_line for s in statements for p in told):
        return True
    names = {one.dotted for one in chain}
    return any(finding.facts.get("name") in names or finding.code in ELSEWHERE for finding in analysis.findings)
