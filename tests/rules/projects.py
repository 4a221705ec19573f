"""Little projects for the tests of rules, and what is said about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from lua_cli.analysis import analyse
from lua_cli.diagnostics import Diagnostic
from lua_cli.project import open_project
from lua_cli.rules import Choice, judge
from lua_cli.source import SourceIndex

WriteProject = Callable[[Mapping[str, str]], Path]

HEAD = """\
from pydantic import BaseModel
from lua_cli import LuaAgent, LuaSkill, LuaTool

class In(BaseModel):
    text: str

"""


def tool(class_name: str, name: str | None = None, *, base: str = "LuaTool", body: str = "") -> str:
    """A class statement; `name` is source text, a lowercase name by default."""
    name = repr(class_name.lower()) if name is None else name
    return (
        f"class {class_name}({base}):\n"
        f"    name = {name}\n"
        f'    description = "Tell all about the subject of {class_name} when the customer asks for it."\n'
        "    input_schema = In\n"
        f"{body}"
        "    def execute(self, input: In): return input.text\n\n"
    )


def agent(*tools: str, extra: str = "") -> str:
    """The end of an entry file: one skill with these elements."""
    listed = "".join(f"    {element},\n" for element in tools)
    return (
        f'{extra}skill = LuaSkill(name="s", context="Help with everything.", tools=[\n{listed}])\n'
        'agent = LuaAgent(name="a", persona="p", skills=[skill])\n'
    )


def judged(root: Path, choice: Choice = Choice()) -> list[Diagnostic]:  # noqa: B008 - frozen
    project = open_project(root)
    index = SourceIndex(project)
    return judge(analyse(project, index), index, project, choice)


def lines(root: Path, found: list[Diagnostic]) -> list[str]:
    """Each diagnostic as "code severity: the source line that it points at, from its column"."""
    shown = []
    for diagnostic in found:
        place = diagnostic.place
        source = (root / place.path).read_text("utf-8").split("\n")[place.line - 1][place.column - 1 :]
        shown.append(f"{diagnostic.code.removeprefix('lua/')} {diagnostic.severity}: {source}")
    return shown
