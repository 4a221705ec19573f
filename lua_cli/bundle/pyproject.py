"""Where a setting stands in pyproject.toml. In: the project and a string of the file. Out: a place to show."""

from __future__ import annotations

from lua_cli.diagnostics import Place
from lua_cli.project import Project


def setting_place(project: Project, text: str) -> Place:
    """Where a string stands in pyproject.toml: its line, as far as it can be found by looking for it."""
    path = project.root / "pyproject.toml"
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    for number, line in enumerate(lines, start=1):
        for quoted in (f'"{text}"', f"'{text}'"):
            if quoted in line:
                column = line.index(quoted) + 1
                return Place("pyproject.toml", number, column, number, column + len(quoted))
    return Place("pyproject.toml", 1, 1, 1, 1)
