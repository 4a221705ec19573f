"""A document with every kind of thing to show, and its sources."""

from __future__ import annotations

from typing import Any

from lua_cli.diagnostics import Diagnostic, Edit, Fix, Place, Related
from lua_cli.report import diagnostic_record

SOURCES = {
    "agent.py": (
        "from lua_cli import LuaAgent, LuaSkill\n"
        "from tools import Search\n"
        "\n"
        "docs = LuaSkill(\n"
        '    name="docs",\n'
        "    tools=[Search],\n"
        ")\n"
    ),
    "tools.py": 'class Search:\n\tname = "größe", "検索", x\n',
}

UNCALLED = Diagnostic(
    "lua/not-a-tool",
    "error",
    "Search is the class, not a tool",
    Place("agent.py", 6, 12, 6, 18),
    help="write `Search()`",
    fix=Fix("Call the class: `Search()`", (Edit(Place("agent.py", 6, 12, 6, 18), "Search()"),)),
    related=(Related(Place("tools.py", 1, 7, 1, 13), "the class"),),
)
STYLE = Diagnostic(
    "lua/tool-name-style", "warning", 'the tool name "größe" is odd', Place("tools.py", 2, 18, 2, 22), help=None
)


def document(*diagnostics: Diagnostic) -> dict[str, Any]:
    return {
        "version": 1,
        "ok": not any(diagnostic.severity == "error" for diagnostic in diagnostics),
        "entry": "agent.py",
        "agents": [],
        "skills": [{"name": "docs", "path": "agent.py", "line": 4, "tools": [], "artifact": None, "digest": None}],
        "tools": [],
        "classes": [],
        "diagnostics": [diagnostic_record(diagnostic) for diagnostic in diagnostics],
    }
