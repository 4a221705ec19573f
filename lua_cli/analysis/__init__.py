"""analysis/: the abstract import.

In: a project and its source index. Out: an `Analysis`: the agent, its skills and tools, the classes with their bases
and attributes, and findings about what only a run could tell. Pure: never imports or runs the user's code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from lua_cli.analysis.result import Result
    from lua_cli.project import Project
    from lua_cli.source import SourceIndex
    from lua_cli.source.ir import ModuleFacts

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
    "analyse_at_first",
]

RECURSION_LIMIT = 12_000  # imports nest in imports; facts are bounded in depth, and so is what they call


def analyse(project: Project, index: SourceIndex) -> Analysis:
    """Imports the entry of a project, abstractly, and says what that makes."""
    _, settled = analyse_at_first(project, index)
    return settled()


def analyse_at_first(project: Project, index: SourceIndex) -> tuple[Analysis, Callable[[], Analysis]]:
    """The analysis on `ast`'s facts, and what waits for the one of record (record.py): it gives the same object where
    libcst reads what is judged alike, as it does but for faults of one of the two. Until then there is time for what
    can be thrown away.
    """
    from lua_cli.analysis.record import ask

    with _deep_recursion():
        result = _imported(project, index, {})
        differences = ask(result.machine, result.used, result.flow_tools.calls)
        at_first = _ended(result)

    def settled() -> Analysis:
        with _deep_recursion():
            replaced = differences()
            return _ended(_imported(project, index, replaced)) if replaced else at_first

    return at_first, settled


def _imported(project: Project, index: SourceIndex, replaced: dict[str, ModuleFacts]) -> Result:
    from lua_cli.analysis.machine import Machine
    from lua_cli.analysis.result import Result

    machine = Machine(project, index, replaced)
    result = Result(machine, machine.import_entry())
    result.find()
    return result


def _ended(result: Result) -> Analysis:
    analysis = result.analysis()
    result.machine.let_go()
    return analysis


@contextmanager
def _deep_recursion() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
