"""analysis/: the abstract import.

In: a project and its source index. Out: an `Analysis`: the agent, its skills and tools, the classes with their bases
and attributes, and findings about what only a run could tell. Pure: never imports or runs the user's code.
"""

from __future__ import annotations

import sys

from lua_cli.analysis.model import (
    AgentInfo,
    Analysis,
    Argument,
    Attribute,
    ClassInfo,
    Entry,
    Finding,
    SkillInfo,
    ToolUse,
)
from lua_cli.project import Project
from lua_cli.source import SourceIndex

__all__ = [
    "AgentInfo",
    "Analysis",
    "Argument",
    "Attribute",
    "ClassInfo",
    "Entry",
    "Finding",
    "SkillInfo",
    "ToolUse",
    "analyse",
]

RECURSION_LIMIT = 12_000  # imports nest in imports; facts are bounded in depth, and so is what they call


def analyse(project: Project, index: SourceIndex) -> Analysis:
    """Imports the entry of a project, abstractly, and says what that makes."""
    from lua_cli.analysis.machine import Machine
    from lua_cli.analysis.record import ask
    from lua_cli.analysis.result import Result

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        machine = Machine(project, index)
        result = Result(machine, machine.import_entry())
        result.find()
        differences = ask(machine, result.used, result.flow_tools.calls)
        analysis = result.analysis()
        replaced = differences()
        if replaced:
            machine = Machine(project, index, replaced)
            result = Result(machine, machine.import_entry())
            result.find()
            analysis = result.analysis()
        return analysis
    finally:
        sys.setrecursionlimit(limit)
