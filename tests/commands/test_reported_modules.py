"""Ways to lay out and import modules that have gone wrong for people elsewhere, through the commands: circles, names for
the type checker, broken files, packages without `__init__.py`, files named like libraries, edits, work at import."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.commands.test_reported_sources import INPUT, Lua, Write, agent, compiled, ran, said, tool
from tests.commands.test_watching import Watched

TEST = ("test", "--ci", "skill", "--name", "t", "--input", "{}")
ENTRY = "from lua_cli import LuaAgent\nfrom skills.s import skill\nagent = LuaAgent(name='a', skills=[skill])\n"
SKILL = "from lua_cli import LuaSkill\nfrom tools.t import T\nPREFIX = 'acme'\nskill = LuaSkill(name='s', context='c', tools=[T()])\n"


def test_a_circle_of_imports_is_shown_as_the_way_around(lua: Lua, write_project: Write) -> None:
    """The tool is listed all the same; a run is refused with the files and lines of the circle."""
    source = "from skills.s import PREFIX\n" + INPUT + tool("t").replace('"t"', 'f"{PREFIX}_t"')
    root = write_project({"agent.py": ENTRY, "skills/s.py": SKILL, "tools/t.py": source})
    code, document = compiled(lua, root, "--check")
    assert (code, [t["name"] for t in document["tools"]]) == (1, ["acme_t"])
    assert said(document) == [("error", "lua/unresolved-import", "tools/t.py", 1)]
    result = lua(*TEST, cwd=root)
    assert result.exit_code == 1
    assert "the imports form a circle: skills/s.py:2 -> tools/t.py:1 -> skills/s.py\n" in result.stdout + result.stderr
    assert "hint: move one of these imports into the function that needs it" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("top", "body"),
    [
        ("", "def execute(self, input):\n        from skills.s import PREFIX\n        return PREFIX"),
        ("import skills.s as s\n", "def execute(self, input): return s.PREFIX"),
        ("import skills.s\n", "def execute(self, input): return skills.s.PREFIX"),
        ("from skills import s\n", "def execute(self, input): return s.PREFIX"),
    ],
    ids=["within-the-function", "as", "dotted", "from-package"],
)
def test_a_circle_that_works_in_python_works(lua: Lua, write_project: Write, top: str, body: str) -> None:
    root = write_project({"agent.py": ENTRY, "skills/s.py": SKILL, "tools/t.py": top + INPUT + tool("t", body=body)})
    assert ran(lua, root, "t") == "acme"


CHECKED = """\
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from models import Customer
"""


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("    c: Customer | None = None\n", "async def execute(self, input): return 1"),
        ("", "async def execute(self, input: Customer): return 1"),
    ],
    ids=["field", "parameter"],
)
def test_a_name_for_the_type_checker_that_the_schema_needs(
    lua: Lua, write_project: Write, field: str, body: str
) -> None:
    source = CHECKED + INPUT.replace('    q: str = ""\n', f'    q: str = ""\n{field}') + tool("t", body=body)
    if not field:
        source = source.replace("    input_schema = In\n", "")
    model = "from pydantic import BaseModel\nclass Customer(BaseModel):\n    id: str = ''\n"
    root = write_project({"agent.py": agent("from t import T", "T()"), "models.py": model, "t.py": source})
    code, document = compiled(lua, root)
    assert (code, said(document)) == (1, [("error", "lua/schema-failed", "t.py", 4)])
    assert (
        "`Customer` is imported only under TYPE_CHECKING, and it is needed at run time for the schema"
        in (document["diagnostics"][0]["message"])
    )
    assert document["diagnostics"][0]["help"] == (
        "move `from models import Customer` (t.py:4) out of `if TYPE_CHECKING:`"
    )
    assert document["tools"][0]["inputSchema"] is None
    (root / "t.py").write_text(source.replace("if TYPE_CHECKING:\n    ", ""), encoding="utf-8")
    assert ran(lua, root, "t") == 1


def test_a_name_for_the_type_checker_may_say_what_execute_returns(lua: Lua, write_project: Write) -> None:
    source = CHECKED + INPUT + tool("t", body="async def execute(self, input: In) -> Customer | None: return None")
    root = write_project(
        {"agent.py": agent("from t import T", "T()"), "models.py": "class Customer: ...\n", "t.py": source}
    )
    code, document = compiled(lua, root)
    assert (code, said(document), document["tools"][0]["inputSchema"]["properties"].keys()) == (0, [], {"q"})
    assert ran(lua, root, "t") is None


def test_what_is_inherited_goes_along(lua: Lua, write_project: Write, tmp_path: Path) -> None:
    """The artifact alone gives what the project gives: its run has no other files. The next compile has the same bytes."""
    root = write_project(CHAIN)
    assert ran(lua, root, "t") == ["acme", "", 3]
    (artifact,) = (root / ".lua/artifacts").glob("*.luapkg")
    before = artifact.read_bytes()
    with zipfile.ZipFile(artifact) as opened:
        assert {name for name in opened.namelist() if name.endswith(".py")} == {"base.py", "search.py", "acme.py"}
    again = write_project(CHAIN)
    assert lua("compile", cwd=again).exit_code == 0
    assert (again / ".lua/artifacts/s.luapkg").read_bytes() == before


CHAIN = {
    "agent.py": agent("from acme import Acme", "Acme()"),
    "base.py": INPUT
    + "class Base(LuaTool):\n    input_schema = In\n    timeout = 3\n"
    + "    def execute(self, input): return [self.site, input.q, self.timeout]\n",
    "search.py": 'from base import Base\n\n\nclass Search(Base):\n    description = "Search a site by words."\n    site = ""\n',
    "acme.py": 'from search import Search\n\n\nclass Acme(Search):\n    name = "t"\n    site = "acme"\n',
}


def test_each_edit_is_seen_by_the_next_run(lua: Lua, write_project: Write) -> None:
    """A field of a base, a rename, a syntax error and its mending, a deleted file."""
    root = write_project(CHAIN)
    assert ran(lua, root, "t") == ["acme", "", 3]
    (root / "base.py").write_text(CHAIN["base.py"].replace("timeout = 3", "timeout = 9"), encoding="utf-8")
    assert ran(lua, root, "t") == ["acme", "", 9]
    (root / "acme.py").write_text(CHAIN["acme.py"].replace('"t"', '"find"'), encoding="utf-8")
    assert [t["name"] for t in compiled(lua, root)[1]["tools"]] == ["find"]
    assert (lua(*TEST, cwd=root).exit_code, ran(lua, root, "find")) == (3, ["acme", "", 9])
    (root / "search.py").write_text(CHAIN["search.py"] + "class Broken(:\n", encoding="utf-8")
    code, document = compiled(lua, root)
    assert (code, ("error", "lua/syntax-error", "search.py", 7) in said(document)) == (1, True)
    (root / "search.py").write_text(CHAIN["search.py"], encoding="utf-8")
    assert ran(lua, root, "find") == ["acme", "", 9]
    (root / "search.py").unlink()
    code, document = compiled(lua, root)
    assert (code, ("error", "lua/unresolved-import", "acme.py", 1) in said(document)) == (1, True)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            INPUT + tool("t", body="def execute(self, input): return str(1"),
            ["t.py:14:41: error[lua/syntax-error] not valid Python: '(' was never closed", f"\n   | {' ' * 40}^\n"],
        ),
        (
            "import nosuchpkg\n" + INPUT + tool("t"),
            [
                "t.py:1:8: error[lua/unresolved-import] cannot import `nosuchpkg`",
                "neither in the project nor installed",
                "ModuleNotFoundError: No module named 'nosuchpkg'",
                "1 | import nosuchpkg\n  |        ^^^^^^^^^\n",
            ],
        ),
        (
            INPUT + tool("t") + "1/0\n",
            ["t.py:16:1: error[lua/import-failed]", "ZeroDivisionError: division by zero", "16 | 1/0\n", "in <module>"],
        ),
    ],
    ids=["syntax", "import", "run"],
)
def test_a_broken_file_is_told_as_what_it_is(lua: Lua, write_project: Write, source: str, words: list[str]) -> None:
    """By compiling and by running: the user's file, line and error, no frame of anybody else."""
    root = write_project({"agent.py": agent("from t import T", "T()"), "t.py": source})
    for command in (("compile",), TEST):
        result = lua(*command, cwd=root)
        text = result.stdout + result.stderr
        assert (result.exit_code, [word for word in words if word not in text]) == (1, []), text
        assert "lua_cli/" not in text and "importlib" not in text


def test_the_frames_of_a_run_are_the_users_alone(lua: Lua, write_project: Write) -> None:
    body = "def execute(self, input):\n        import nosuchpkg"
    root = write_project({"agent.py": agent("from t import T", "T()"), "t.py": INPUT + tool("t", body=body)})
    result = lua(*TEST, cwd=root)
    assert result.exit_code == 1
    frames = [line.strip() for line in result.stderr.splitlines() if line.strip().startswith("File ")]
    assert frames == ['File "t.py", line 15, in T.execute']
    assert "ModuleNotFoundError: No module named 'nosuchpkg'" in result.stderr


def test_namespace_packages_in_two_roots_are_one_package(lua: Lua, write_project: Write) -> None:
    root = write_project(
        {
            "pyproject.toml": '[tool.lua]\nimport-roots = ["src", "lib"]\n',
            "src/agent.py": agent("from acme.tools.t import T", "T()"),
            "src/acme/tools/t.py": "from acme.common import NAME\n"
            + INPUT
            + tool("t", body="def execute(self, input): return NAME"),
            "lib/acme/common.py": 'NAME = "acme"\n',
        }
    )
    code, document = compiled(lua, root)
    assert (code, said(document), ran(lua, root, "t")) == (0, [], "acme")
    with zipfile.ZipFile(root / ".lua/artifacts/s.luapkg") as opened:
        assert {"acme/tools/t.py", "acme/common.py"} <= set(opened.namelist())


def test_a_misnamed_init_is_named(lua: Lua, write_project: Write) -> None:
    """Whether something is missing for it or not; a module that is imported under such a name is none."""
    files = {"agent.py": agent("from tools.t import T", "T()"), "tools/t.py": INPUT + tool("t"), "tools/init.py": ""}
    root = write_project(files)
    code, document = compiled(lua, root)
    assert (code, said(document)) == (0, [("warning", "lua/misnamed-init", "tools/init.py", 1)])
    assert "`tools/init.py` looks like a misnamed `__init__.py`" in document["diagnostics"][0]["message"]
    (root / "tools/t.py").write_text("from tools.init import X\n" + files["tools/t.py"], encoding="utf-8")
    (root / "tools/init.py").write_text("X = 1\n", encoding="utf-8")
    assert compiled(lua, root)[1]["diagnostics"] == []
    (root / "agent.py").write_text(agent("from tools import T", "T()"), encoding="utf-8")
    code, document = compiled(lua, root)
    assert code == 1
    assert "`init.py` looks like a misnamed `__init__.py`" in document["diagnostics"][0]["message"]


def test_relative_imports_work_from_every_folder(lua: Lua, write_project: Write, tmp_path: Path) -> None:
    body = (
        "async def execute(self, input):\n        from .helpers import fmt\n"
        "        return [fmt(1), client, __name__, __package__]"
    )
    root = write_project(
        {
            "src/agent.py": agent("from skills.orders.tools.get import T", "T()"),
            "src/skills/orders/shared/http.py": 'client = "http"\n',
            "src/skills/orders/tools/helpers.py": 'def fmt(x): return f"<{x}>"\n',
            "src/skills/orders/tools/get.py": "from ..shared.http import client\n" + INPUT + tool("t", body=body),
        }
    )
    for folder, flags in ((root, ()), (root / "src", ()), (tmp_path, ("--project", str(root)))):
        result = lua(*flags, *TEST, cwd=folder)
        assert (result.exit_code, json.loads(result.stdout)) == (
            0,
            ["<1>", "http", "skills.orders.tools.get", "skills.orders.tools"],
        )


def test_files_named_like_libraries_take_nobodys_place(lua: Lua, write_project: Write) -> None:
    """One warning a file; another tool still gets the real `json`."""
    body = 'def execute(self, input): return [json.loads("1"), json.__name__, __name__]'
    names = ("json", "httpx", "lua_cli")
    files = {f"tools/{name}.py": INPUT + tool(f"{name[0]}x") for name in names}
    imports = "".join(f"from tools.{name} import {name[0].upper()}x\n" for name in names)
    root = write_project(
        {
            "agent.py": agent(imports + "from tools.user import T", "Jx(), Hx(), Lx(), T()"),
            "tools/user.py": "import json\n" + INPUT + tool("t", body=body),
            **files,
        }
    )
    code, document = compiled(lua, root)
    assert code == 0
    assert said(document) == [
        ("warning", "lua/shadows-module", f"tools/{name}.py", 1)
        for name in sorted(names, key=lambda n: f"tools/{n}.py")
    ]
    assert ran(lua, root, "t") == [1, "json", "tools.user"]
    assert ran(lua, root, "lx") == 1


def test_checking_runs_nothing_of_the_user(lua_process: Lua, write_project: Write) -> None:
    """What a module does at import is told by lines; a run without the variable names it."""
    work = (
        'import os\nimport urllib.request\nprint("hello")\nKEY = os.environ["PAYMENTS_KEY"]\n'
        'urllib.request.urlopen("https://payments.example/ping")\nraise SystemExit(3) if not KEY else None\n'
    )
    root = write_project({"agent.py": agent("from t import T", "T()"), "t.py": work + INPUT + tool("t")})
    code, document = compiled(lua_process, root, "--check")
    assert (code, said(document)) == (
        0,
        sorted(
            [
                ("warning", "lua/environment-missing", "t.py", 4),
                *(("warning", "lua/import-side-effect", "t.py", line) for line in (3, 4, 5, 6)),
            ],
            key=lambda finding: finding[2:],
        ),
    )
    text = lua_process("compile", "--check", cwd=root)
    assert (text.exit_code, "\nhello\n" in text.stdout + text.stderr) == (0, False)
    kept = "".join(line for line in work.splitlines(keepends=True) if "urlopen" not in line and "raise" not in line)
    (root / "t.py").write_text(kept + INPUT + tool("t"), encoding="utf-8")
    result = lua_process(*TEST, cwd=root)
    assert (result.exit_code, "KeyError: 'PAYMENTS_KEY'" in result.stderr) == (1, True)
    assert "the variable PAYMENTS_KEY is not set" in result.stderr


def test_a_watched_chain_of_bases_is_new_after_each_save(write_project: Write) -> None:
    """One run a save, with the new values and no second copy of a class; a broken file does not end it."""
    case = "cases:\n  - name: a find\n    tool: t\n    input: {}\n    expect: {output: [acme, '', 9]}\n"
    root = write_project({**CHAIN, "tests/a.test.yaml": case})
    watching, again = Watched(root, "test"), "waiting for changes"
    try:
        assert "0 passed, 1 failed" in watching.until(again)
        (root / "base.py").write_text(CHAIN["base.py"].replace("timeout = 3", "timeout = 9"), encoding="utf-8")
        lines = watching.until(again)
        assert ([line for line in lines if " passed" in line], "base.py changed" in lines) == (["1 passed"], True)
        (root / "search.py").write_text(CHAIN["search.py"] + "class Broken(:\n", encoding="utf-8")
        assert any("lua/syntax-error" in line for line in watching.until(again))
        (root / "search.py").write_text(CHAIN["search.py"], encoding="utf-8")
        assert "1 passed" in watching.until(again)
        (root / "search.py").unlink()
        assert any("lua/unresolved-import" in line for line in watching.until(again))
    finally:
        watching.end()
