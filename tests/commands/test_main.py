"""The edge: global flags, errors as one line and a hint, exit codes, one JSON document."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import lua_cli
from tests.conftest import Result

Lua = Callable[..., Result]


def test_version(lua: Lua, tmp_path: Path) -> None:
    assert lua("--version", cwd=tmp_path) == Result(0, f"lua-cli {lua_cli.__version__}\n", "")


def test_unknown_command(lua: Lua, tmp_path: Path) -> None:
    result = lua("complie", cwd=tmp_path)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "complie" in result.stderr
    assert result.stderr.endswith("hint: see `lua --help`\n")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("version",), "did you mean `lua --version`?"),
        (("skills", "list", "--json"), "did you mean `lua skills --json`?"),
        (("auth", "login"), "did you mean `lua auth configure`?"),
        (("push", "skill", "orders"), "did you mean `lua push skill --name orders`?"),
        (("push", "orders"), "one of: skill, all; a skill goes by its name: skill --name orders"),
        (("deploy", "orders"), "one of: skill, all; a skill goes by its name: skill --name orders"),
        (("compile", "shop"), "did you mean `lua compile --project shop`?"),
        (("compile", "elsewhere"), "see `lua compile --help`"),
        (("compile", "--format"), "see `lua compile --help`"),
        (("skills", "diff"), "see `lua skills diff --help`"),
        (("flow", "run"), "there are: eval, invoke"),
        (("fuzz",), "`lua skills` lists the tools; see `lua fuzz --help`"),
        (("skills", "diff", "order"), "did you mean orders?"),
    ],
)
def test_what_to_type_instead(
    lua: Lua, write_project: Callable[[Mapping[str, str]], Path], args: tuple[str, ...], says: str
) -> None:
    tool = "class T(LuaTool):\n    name = 't'\n    description = 'Finds it.'\n    def execute(self, input): ...\n"
    agent = "agent = LuaAgent('a', 'p', [LuaSkill('orders', 'd', 'c', [T()])])\n"
    files = {"agent.py": f"from lua_cli import LuaAgent, LuaSkill, LuaTool\n{tool}{agent}"}
    root = write_project({**files, "shop/pyproject.toml": ""})
    result = lua(*args, cwd=root)
    document = json.loads(result.stdout)["error"] if "--json" in args else None
    assert result.exit_code == (3 if args[-1] == "order" else 2)
    assert document["hint"] == says if document else result.stderr.endswith(f"hint: {says}\n")


@pytest.mark.parametrize(
    ("group", "commands"),
    [("flow", "eval, invoke"), ("auth", "configure, logout, whoami"), ("export", "agent-skill")],
)
def test_a_group_of_commands_needs_one(lua: Lua, tmp_path: Path, group: str, commands: str) -> None:
    says = f"✖ usage: `lua {group}` needs a command\n  hint: one of: {commands}; see `lua {group} --help`\n"
    assert lua(group, cwd=tmp_path) == Result(2, "", says)


def test_no_project_is_one_line_and_a_hint(lua: Lua, tmp_path: Path) -> None:
    result = lua("compile", cwd=tmp_path)
    assert result.exit_code == 3
    assert result.stderr == (
        f"✖ not_found: no lua project in {tmp_path} or above it\n"
        '  hint: start one with `lua init`, or add [tool.lua] with `entry = "src/agent.py"` to pyproject.toml\n'
    )


@pytest.mark.parametrize(
    "args", [("--ci", "compile", "--json"), ("compile", "--json", "--ci"), ("compile", "--format", "json")]
)
def test_json_errors_are_one_document(lua: Lua, tmp_path: Path, args: tuple[str, ...]) -> None:
    result = lua(*args, cwd=tmp_path)
    assert result.exit_code == 3
    document = json.loads(result.stdout)
    assert document["ok"] is False
    assert document["error"]["type"] == "not-found"
    assert result.stderr == ""


@pytest.mark.parametrize("place", ["before", "after", "equals"])
def test_project_may_stand_anywhere(
    lua: Lua, tmp_path: Path, write_project: Callable[[Mapping[str, str]], Path], place: str
) -> None:
    root = write_project({"agent.py": "from lua_cli import LuaAgent\nagent = LuaAgent('a', 'p')\n"})
    args = {
        "before": ("--project", str(root), "compile", "--check"),
        "after": ("compile", "--check", "--project", str(root)),
        "equals": ("compile", f"--project={root}", "--check"),
    }[place]
    assert lua(*args, cwd=tmp_path).exit_code == 0


def test_project_needs_a_folder(lua: Lua, tmp_path: Path) -> None:
    result = lua("compile", "--project", cwd=tmp_path)
    assert result.exit_code == 2
    assert "--project needs a folder" in result.stderr


def test_a_bug_is_exit_70_with_the_traceback_in_a_file(
    lua: Lua, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lua_cli.project

    def broken(*_args: object, **_options: object) -> None:
        raise RuntimeError("deep inside")

    monkeypatch.setattr(lua_cli.project, "open_project", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = lua("compile", cwd=tmp_path)
    assert result.exit_code == 70
    assert "Traceback" not in result.stderr + result.stdout
    (report,) = tmp_path.glob("lua-cli-crash-*.txt")
    assert str(report) in result.stderr
    assert "RuntimeError: deep inside" in report.read_text()


def test_ascii_terminals_get_ascii(lua_process: Lua, tmp_path: Path) -> None:
    result = lua_process("compile", cwd=tmp_path, env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert result.exit_code == 3
    assert result.stderr.startswith("x not_found: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["--version", "--help", "explain tool-name-style", "explain tool-name-style --ci"])
def test_a_result_that_cannot_be_written_is_no_success(tmp_path: Path, command: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lua_cli", *command.split()],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr


def test_a_closed_stdout_is_no_error(tmp_path: Path) -> None:
    line = f"{sys.executable} -m lua_cli --version >&-"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_answer_that_is_cut_short_is_no_success(tmp_path: Path, unbuffered: str) -> None:
    """A file that takes no more than a part; Python alone forgets the rest where it does not buffer."""
    few = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    line = f"{few}import sys; from lua_cli.main import run; sys.argv[1:] = ['--help']; run()"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"}
    with (tmp_path / "said").open("wb") as file:
        done = subprocess.run(
            [sys.executable, "-c", line], env=environment, stdout=file, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert (tmp_path / "said").stat().st_size == 100
    assert (done.returncode, b"cannot write the result" in done.stderr) == (1, True), done.stderr
