from __future__ import annotations

import sys
import venv
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.errors import LuaError, NotFoundError, UsageError
from lua_cli.project import open_project

Write = Callable[[Mapping[str, str]], Path]


def test_the_nearest_folder_upward_with_tool_lua(write_project: Write) -> None:
    root = write_project({"src/agent.py": "", "src/skills/orders.py": "", "src/inner/pyproject.toml": "[project]"})
    project = open_project(root / "src" / "inner")
    assert project.root == root
    assert project.entry == root / "src" / "agent.py"
    assert project.import_roots == (root / "src", root)
    assert project.relative(project.entry) == "src/agent.py"


@pytest.mark.parametrize("entry", ["agent.py", "src/agent.py", "main.py", "src/main.py"])
def test_a_folder_with_an_entry_file_needs_no_pyproject(tmp_path: Path, entry: str) -> None:
    (tmp_path / entry).parent.mkdir(exist_ok=True)
    (tmp_path / entry).write_text("")
    assert open_project(tmp_path).entry == tmp_path / entry


def test_import_roots_are_what_is_set(write_project: Write) -> None:
    root = write_project(
        {
            "pyproject.toml": "[tool.lua]\nentry='app/main.py'\nimport-roots=['lib', '.']\n",
            "app/main.py": "",
            "lib/x.py": "",
        }
    )
    assert open_project(root).import_roots == (root / "lib", root)


@pytest.mark.parametrize(
    ("files", "error", "message"),
    [
        ({"pyproject.toml": "[project]\n", "x.py": ""}, NotFoundError, "no lua project in"),
        ({"x.py": ""}, NotFoundError, "no entry file in"),
        ({"pyproject.toml": "[tool.lua]\nentry='gone.py'\n"}, NotFoundError, "the entry file 'gone.py' does not exist"),
        ({"pyproject.toml": "[tool.lua]\nimport-roots=['gone']\n", "agent.py": ""}, UsageError, "no folder 'gone'"),
        (
            {"pyproject.toml": "[tool.lua]\nentry='../out.py'\n", "../out.py": ""},
            UsageError,
            "lies outside of the project",
        ),
        (
            {"pyproject.toml": "[tool.lua]\npython='nope'\n", "agent.py": ""},
            NotFoundError,
            "python = 'nope' does not exist",
        ),
    ],
)
def test_no_project(write_project: Write, files: dict[str, str], error: type[LuaError], message: str) -> None:
    root = write_project(files)
    with pytest.raises(error) as raised:
        open_project(root)
    assert message in raised.value.message
    assert raised.value.hint


def test_explicit_does_not_look_upward(write_project: Write) -> None:
    root = write_project({"agent.py": "", "sub/x.py": ""})
    assert open_project(root / "sub").root == root
    with pytest.raises(NotFoundError):
        open_project(root / "sub", explicit=True)


def test_the_interpreter_is_the_clis_own_without_an_environment(write_project: Write) -> None:
    interpreter = open_project(write_project({"agent.py": ""})).interpreter
    assert interpreter.own
    assert interpreter.executable == Path(sys.executable)
    assert interpreter.version == sys.version_info[:2]


def test_the_projects_environment_and_its_pth_files(write_project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_project({"agent.py": "", "editable/pkg.py": ""})
    venv.create(root / ".venv", symlinks=True)
    site = next((root / ".venv").glob("lib/python*/site-packages"))
    (site / "x.pth").write_text(f"# a comment\nimport os\n{root / 'editable'}\n{root / 'missing'}\n")
    interpreter = open_project(root).interpreter
    assert (interpreter.why, interpreter.own) == ("the project's .venv", False)
    assert interpreter.packages == (site, root / "editable")

    other = root / "active"
    venv.create(other, symlinks=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(other))
    assert open_project(root).interpreter.executable == other / "bin" / "python"

    (root / "pyproject.toml").write_text("[tool.lua]\npython = '.venv'\n")
    assert open_project(root).interpreter.why == "[tool.lua] python"
