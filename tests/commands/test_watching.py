"""`--watch`: once for each save, until it is interrupted."""

from __future__ import annotations

import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from lua_cli.commands.watching import _renewed, _snapshot
from tests.conftest import Result

AGENT = """\
from lua_cli import LuaAgent, LuaSkill, LuaTool


class Ping(LuaTool):
    name = "ping"
    description = "Answer with a word. Use when somebody asks whether you are there."
    input_schema = {"type": "object"}

    def execute(self, input: dict) -> str:
        return "pong"


skill = LuaSkill(name="s", context="c", tools=[Ping()])
agent = LuaAgent(name="a", skills=[skill])
"""
CASES = "cases:\n  - name: a ping\n    tool: ping\n    expect: {output: pong}\n"


class Watched:
    """A running command with `--watch`; `until` reads its output up to a line that holds some words."""

    def __init__(self, root: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "lua_cli", *words, "--watch", "--ci"],
            cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYTHONUTF8": "1"}, start_new_session=True,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def end(self) -> None:
        with self.process:  # closes its pipe
            self.process.kill()
            self._reader.join()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def until(self, words: str) -> list[str]:
        lines = [self._lines.get(timeout=60)]
        while words not in lines[-1]:
            lines.append(self._lines.get(timeout=60))
        return lines


@pytest.fixture
def watched(write_project: Callable[[Mapping[str, str]], Path]) -> Iterator[tuple[Watched, Path]]:
    root = write_project({"src/agent.py": AGENT, "tests/a.test.yaml": CASES, ".venv/pyvenv.cfg": "", "out/x": ""})
    watching = Watched(root, "test", "--junit", "junit.xml")
    try:
        yield watching, root
    finally:
        watching.end()


def test_each_save_is_one_run_and_an_error_ends_nothing(watched: tuple[Watched, Path]) -> None:
    watching, root = watched
    agent, again = root / "src/agent.py", "waiting for changes"
    assert "1 passed" in watching.until(again)
    (root / ".venv/new.py").write_text("x = 1\n", encoding="utf-8")  # nobody's business
    agent.write_text(AGENT.replace('"pong"', '"pang"'), encoding="utf-8")
    lines = watching.until(again)
    assert [line for line in lines if line.endswith(" changed")] == ["src/agent.py changed"]
    assert "0 passed, 1 failed" in lines
    agent.write_text(AGENT + "class Broken(:\n", encoding="utf-8")
    assert any("lua/syntax-error" in line for line in watching.until(again))
    (root.parent / "agent.new").write_text(AGENT, encoding="utf-8")
    (root.parent / "agent.new").replace(agent)  # as many editors save
    assert "1 passed" in watching.until(again)
    os.killpg(watching.process.pid, signal.SIGINT)
    assert watching.process.wait(timeout=60) == 130


def test_what_would_wake_itself_up_is_refused(lua: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.lua]\n", encoding="utf-8")
    for flag in ("--record", "--json"):
        result = lua("test", "--watch", flag, cwd=tmp_path)
        assert (result.exit_code, f"--watch does not go with {flag}" in result.stdout + result.stderr) == (2, True)


EDITS: tuple[Callable[[str], str], ...] = (
    lambda text: text.replace('"pong"', '"pang"'),
    lambda text: text.replace("Answer with a word.", "Answer with another word."),
    lambda text: text + "class Broken(:\n",
    lambda text: text.replace('name = "ping"', 'name = "no name"'),
    lambda text: text.replace("tools=[Ping()]", "tools=[Ping(), Pong()]"),
    lambda text: text.replace("class Ping", "class Pong(LuaTool):\n    pass\n\n\nclass Ping"),
    lambda text: "import helper\n" + text,
    lambda text: text.replace("skills=[skill]", "skills=[]"),
    lambda text: "",
    lambda text: text,
)


def test_each_compile_says_what_a_fresh_one_says(
    write_project: Callable[[Mapping[str, str]], Path], lua: Callable[..., Result]
) -> None:
    """Drawn edits, alone and on top of each other, in one process that goes on and in one that knows nothing."""
    root, fresh = (write_project({"src/agent.py": AGENT}) for _ in range(2))
    watching, draw, again = Watched(root, "compile"), random.Random(8), "waiting for changes"
    try:
        watching.until(again)
        text = AGENT
        for number in range(14):
            text = draw.choice(EDITS)(draw.choice((AGENT, text))) + f"# {number}\n"
            (root.parent / "new").write_text(text, encoding="utf-8")
            (root.parent / "new").replace(root / "src/agent.py")  # at once: half a file is compiled, too
            lines = watching.until(again)
            shutil.rmtree(fresh / ".lua", ignore_errors=True)
            (fresh / "src/agent.py").write_text(text, encoding="utf-8")
            result = lua("compile", "--ci", cwd=fresh)
            assert "src/agent.py changed" in lines
            assert "\n".join(lines[lines.index("src/agent.py changed") + 1 : -1]) == (
                result.stdout + result.stderr
            ).rstrip("\n").replace(str(fresh), str(root)), text
        os.killpg(watching.process.pid, signal.SIGINT)
        assert watching.process.wait(timeout=60) == 130
    finally:
        watching.end()


@pytest.mark.parametrize(
    "flags", [["--fix"], ["--diff"], ["--json"], ["--format", "sarif"], ["--write-baseline", "x"], ["--explain-bundle"]]
)
def test_a_watched_compile_does_one_thing(lua: Callable[..., Result], tmp_path: Path, flags: list[str]) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.lua]\n", encoding="utf-8")
    result = lua("compile", "--watch", *flags, cwd=tmp_path)
    assert (result.exit_code, "--watch does not go with" in result.stdout + result.stderr) == (2, True)


@pytest.mark.parametrize("seed", range(8))
def test_a_look_that_goes_by_the_one_before_sees_what_a_fresh_one_sees(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    root = tmp_path / "project"
    (root / "tools").mkdir(parents=True)
    before = _snapshot(root, {str(root / "out.xml")})
    for step in range(60):
        folders = [path for path in (root, *root.rglob("*")) if path.is_dir()]
        files = [path for path in root.rglob("*") if path.is_file()]
        folder, name = draw.choice(folders), draw.choice(["a.py", "b.py", "out.xml", "sub", ".venv", "__pycache__"])
        match draw.randrange(5):
            case 0 if files:
                draw.choice(files).write_text(f"{step}\n" * draw.randrange(5))
            case 1 if files:
                draw.choice(files).unlink()
            case 2 if files:
                (tmp_path / "new").write_text(f"{step}\n")
                (tmp_path / "new").replace(draw.choice(files))
            case 3 if folder != root and name == "sub":
                shutil.rmtree(folder)
            case _ if not (folder / name).exists():
                (folder / name).write_text("x") if "." in name[1:] else (folder / name).mkdir()
        now = _renewed(root, {str(root / "out.xml")}, before)
        fresh = _snapshot(root, {str(root / "out.xml")})
        assert (now.files, now.folders) == (fresh.files, fresh.folders)
        before = now if draw.random() < 0.8 else before
