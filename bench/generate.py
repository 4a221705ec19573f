"""Writes a project with any number of tools, the shape of a grown one.

One tool is one file of about 60 lines with helpers of its own. Every fifth tool derives from a shared base class in
another file, every tenth through two levels, the others have an input model of their own; all of them import a shared
module. A skill holds twenty tools.

    python bench/generate.py 100 /tmp/hundred
"""

from __future__ import annotations

import sys
from pathlib import Path

TOOLS_A_SKILL = 20
HELPERS_A_TOOL = 8

PYPROJECT = """\
[project]
name = "generated"
version = "0.1.0"
dependencies = ["lua-cli", "pydantic"]

[tool.lua]
entry = "src/agent.py"
"""

LINKS = """\
from urllib.parse import urlencode


def link(path: str, **query: str) -> str:
    return f"{path}?{urlencode(query)}"
"""

BASES = """\
from lua_cli import LuaTool
from pydantic import BaseModel, Field

from shared.links import link


class Query(BaseModel):
    query: str = Field(description="The words to look for")
    limit: int = 10


class IndexSearch(LuaTool[Query]):
    name = "index_search"
    description = "Search the index of the company. Use when the question is about a document."
    input_schema = Query
    path = "/index"

    async def execute(self, input: Query) -> dict[str, object]:
        return {"link": link(self.path, q=input.query), "limit": input.limit}


class RegionSearch(IndexSearch):
    path = "/index/region"
"""

HELPER = '''\
def keep_{k}(rows: list[dict[str, object]], most: int = {most}) -> list[dict[str, object]]:
    """The rows that score {k} or more, the best first."""
    good = [row for row in rows if int(str(row.get("score", 0))) >= {k}]
    good.sort(key=lambda row: (-int(str(row.get("score", 0))), str(row.get("id", ""))))
    return good[:most]
'''

DERIVED = """\
class Tool{n}({base}):
    name = "tool_{n}"
    path = "{path}/{n}"
"""

OWN = """\
class Input{n}(BaseModel):
    order: str = Field(description="The order's number")
    count: int = 1


class Tool{n}(LuaTool[Input{n}]):
    name = "tool_{n}"
    description = "Look up facts number {n} of an order. Use when the customer asks about facts number {n}."
    input_schema = Input{n}

    async def execute(self, input: Input{n}) -> dict[str, object]:
        rows = keep_0([{{"id": input.order, "score": {n}}}])
        return {{"link": link("/facts/{n}", order=input.order), "rows": rows}}
"""


def generate(folder: Path, tools: int) -> None:
    """Write the project with `tools` tools into `folder`."""
    source = folder / "src"
    skills = [range(first, min(first + TOOLS_A_SKILL, tools)) for first in range(0, tools, TOOLS_A_SKILL)]
    files = {
        folder / "pyproject.toml": PYPROJECT,
        source / "agent.py": _agent(len(skills)),
        source / "shared/links.py": LINKS,
        source / "shared/bases.py": BASES,
        **{source / name / "__init__.py": "" for name in ("shared", "tools", "skills")},
        **{tool_file(folder, n): _tool(n) for n in range(tools)},
        **{source / f"skills/skill_{s}.py": _skill(s, members) for s, members in enumerate(skills)},
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def tool_file(folder: Path, number: int) -> Path:
    return folder / f"src/tools/tool_{number}.py"


def _tool(n: int) -> str:
    helpers = "\n\n".join(HELPER.format(k=k, most=10 + k) for k in range(HELPERS_A_TOOL))
    if n % 5:
        imports = (
            "from lua_cli import LuaTool\nfrom pydantic import BaseModel, Field\n\nfrom shared.links import link\n"
        )
        own = OWN.format(n=n)
    else:
        base, path = ("RegionSearch", "/region") if n % 10 == 0 else ("IndexSearch", "/plain")
        imports = f"from shared.bases import {base}\n"
        own = DERIVED.format(n=n, base=base, path=path)
    return f"from __future__ import annotations\n\n{imports}\n\n{helpers}\n\n{own}"


def _skill(s: int, members: range) -> str:
    imports = "".join(f"from tools.tool_{n} import Tool{n}\n" for n in members)
    instances = ", ".join(f"Tool{n}()" for n in members)
    return (
        f"from lua_cli import LuaSkill\n\n{imports}\nskill_{s} = LuaSkill(\n"
        f'    name="skill-{s}",\n    description="Facts of group {s}",\n'
        f'    context="Call the tools tool_{members[0]} to tool_{members[-1]} for questions about group {s}.",\n'
        f"    tools=[{instances}],\n)\n"
    )


def _agent(skills: int) -> str:
    imports = "".join(f"from skills.skill_{s} import skill_{s}\n" for s in range(skills))
    names = ", ".join(f"skill_{s}" for s in range(skills))
    return (
        f"from lua_cli import LuaAgent\n\n{imports}\nagent = LuaAgent(\n"
        f'    name="generated",\n    persona="You answer questions about orders.",\n    skills=[{names}],\n)\n'
    )


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py TOOLS FOLDER")
    generate(Path(sys.argv[2]), int(sys.argv[1]))
