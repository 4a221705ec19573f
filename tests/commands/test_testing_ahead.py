"""What `lua test skill` says of an unchanged project, whose tool begins at once, is what it says on the long way."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lua_cli.commands import at_once
from lua_cli.pipeline import keeping
from lua_cli.pipeline.at_once import place_of
from tests.conftest import Result

Lua = Callable[..., Result]
AGENT = """\
import os
import sys
import time

from lua_cli import Data, LuaAgent, LuaSkill, LuaTool, User, env


class Sync(LuaTool):
    name = "sync"
    description = "Answer. Use when somebody tests."
    input_schema = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
    }

    def execute(self, input):
        return {"given": input, "ü": [1, 2.5, None]}


class Async(Sync):
    name = "async"

    async def execute(self, input):
        return input


class Prints(Sync):
    name = "prints"

    def execute(self, input):
        print("out")
        print("err", file=sys.stderr)
        return 1


class Raises(Sync):
    name = "raises"

    def execute(self, input):
        raise ValueError(f"no: {input}")


class Exits(Sync):
    name = "exits"

    def execute(self, input):
        os._exit(3)


class Nothing(Sync):
    name = "nothing"

    def execute(self, input):
        return {1, 2, object}


class Big(Sync):
    name = "big"

    def execute(self, input):
        return 2**60


class Writes(Sync):
    name = "writes"

    def execute(self, input):
        with open("file.txt", "w") as file:
            file.write("x")
        return os.listdir()


class Slow(Sync):
    name = "slow"

    def execute(self, input):
        time.sleep(60)


class Counts(Sync):
    name = "counts"

    def execute(self, input):
        user = User.get()
        Data.create("calls", {"by": user.id if user else None})
        return len(Data.search("calls"))


skill = LuaSkill(
    name="tests",
    context="Testing.",
    tools=[Sync(), Async(), Prints(), Raises(), Exits(), Nothing(), Big(), Writes(), Slow(), Counts()],
)


class Knows(Sync):
    name = "knows"

    def execute(self, input):
        return env("SHOP_NAME")


other = LuaSkill(name="other", context="Others.", tools=[Knows()])
agent = LuaAgent(name="tests", skills=[skill, other])
"""


@pytest.fixture
def root(write_project: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which nothing is too young to be recognised."""
    monkeypatch.setattr(keeping, "RACY_NS", -(10**13))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return write_project({"pyproject.toml": "[tool.lua]\n", "src/agent.py": AGENT, ".env": "SHOP_NAME=Corner\n"})


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Which command lines were answered at once, in order."""
    said: list[bool] = []
    real = at_once.answer_at_once

    def answer_at_once(argv: list[str]) -> int | None:
        said.append(True)  # an error that is raised is an answer, too
        code = real(argv)
        said[-1] = code is not None
        return code

    monkeypatch.setattr(at_once, "answer_at_once", answer_at_once)
    return said


def same(result: Result) -> tuple[int, object, str]:
    """A result without the time that it took."""
    out: object = result.stdout
    if result.stdout.startswith("{") and "durationMs" in result.stdout:
        document = json.loads(result.stdout)
        assert isinstance(document.pop("durationMs"), int)
        out = document
    return result.exit_code, out, result.stderr


CALLS: dict[str, list[str]] = {
    "an output": ["sync", '{"text": "ü", "more": [1, {"a": null}]}'],
    "a coroutine": ["async", "{}"],
    "an answer in JSON": ["sync", "{}", "--json"],
    "what the validator has to judge": ["sync", '{"count": 2}', "--json"],
    "input that does not fit": ["sync", '{"count": 0, "text": 1}', "--json"],
    "input that is no JSON": ["sync", "{'a': 1}"],
    "a key twice": ["sync", '{"a": 1, "a": 2}', "--json"],
    "no object": ["sync", "[]"],
    "a file": ["sync", "@input.json"],
    "a file that is not there": ["sync", "@missing.json"],
    "a file that does not fit": ["sync", "@wrong.json"],
    "prints": ["prints", "{}"],
    "prints and JSON": ["prints", "{}", "--json"],
    "an exception": ["raises", '{"text": "x"}'],
    "an exception in JSON": ["raises", "{}", "--json"],
    "an end": ["exits", "{}"],
    "no JSON": ["nothing", "{}"],
    "a note": ["big", "{}"],
    "files": ["writes", "{}"],
    "too slow": ["slow", "{}", "--timeout", "0.2"],
    "a timeout that is none": ["sync", "{}", "--timeout", "0"],
    "a timeout that is no number": ["sync", "{}", "--timeout", "x"],
    "a variable": ["knows", "{}"],
    "a variable of a file": ["knows", "{}", "--env-file", "more.env"],
    "a file of variables that is not there": ["knows", "{}", "--env-file", "no.env"],
    "a skill": ["sync", "{}", "--skill", "tests"],
    "the wrong skill": ["sync", "{}", "--skill", "other"],
    "a user": ["counts", "{}", "--user", "user.json"],
    "a user that is not there": ["counts", "{}", "--user", "nobody.json"],
}
NEVER = {"a timeout that is no number", "the wrong skill", "a file of variables that is not there"}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.replace(" ", "-"))
def test_both_ways_say_the_same(root: Path, lua: Lua, ahead: list[bool], call: str) -> None:
    name, text, *flags = CALLS[call]
    (root / "input.json").write_text('{"text": "from a file"}')
    (root / "wrong.json").write_text('{"text": 1}')
    (root / "more.env").write_text("SHOP_NAME=Other\n")
    (root / "user.json").write_text('{"id": "ada"}')
    words = ["test", "--ci", "skill", "--name", name, "--input", text, *flags]
    first = lua(*words, cwd=root)
    keep(root, lua, name, flags)
    (root / ".lua/data.db").unlink(missing_ok=True)
    again = lua(*words, cwd=root)
    assert same(again) == same(first)
    assert ahead[-1] is (call not in NEVER)


def keep(root: Path, lua: Lua, name: str, flags: list[str]) -> None:
    """A run that is kept, whatever the one before it came to."""
    if not Path(place_of(str(root), f"test-{name}")).exists() and "--skill" not in flags:
        lua("test", "--ci", "skill", "--name", name, "--input", "{}", "--timeout", "0.2", cwd=root)


def test_data_is_the_projects(root: Path, lua: Lua, ahead: list[bool]) -> None:
    words = ["test", "skill", "--name", "counts", "--input", "{}"]
    assert [lua(*words, cwd=root).stdout for _ in range(3)] == ["1\n", "2\n", "3\n"]
    assert ahead == [False, True, True]


CHANGES: dict[str, Callable[[Path], object]] = {
    "the tool": lambda root: edit(root / "src/agent.py", '"given"', '"changed"'),
    "a file beside it": lambda root: (root / "src/json.py").write_text("X = 1\n"),
    "a syntax error": lambda root: edit(root / "src/agent.py", "class Sync(LuaTool):", "class Sync(LuaTool:"),
    "the unpacked tool": lambda root: edit(unpacked(root) / "agent.py", '"given"', '"planted"'),
    "a file more in the unpacked tool": lambda root: (unpacked(root) / "json.py").write_text("raise SystemExit\n"),
    "the unpacked tool is gone": lambda root: shutil.rmtree(unpacked(root)),
    "what was kept is damaged": lambda root: edit(Path(place_of(str(root), "test-sync")), "sync", "cyns"),
    "the file of variables cannot be read": lambda root: (root / ".env").write_text("no line\n"),
    "another python": lambda root: edit(root / "pyproject.toml", "[tool.lua]", '[tool.lua]\npython = "nowhere"'),
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda name: name.replace(" ", "-"))
def test_a_change_is_noticed(root: Path, lua: Lua, ahead: list[bool], change: str) -> None:
    words = ["test", "--ci", "skill", "--name", "sync", "--input", "{}"]
    first = lua(*words, cwd=root)
    assert lua(*words, cwd=root) == first
    CHANGES[change](root)
    changed = lua(*words, cwd=root)
    assert ahead == [False, True, False], f"{change}: not noticed"
    shutil.rmtree(root / ".lua")
    assert lua(*words, cwd=root) == changed


@pytest.mark.parametrize("flags", [["--sandbox", "--network"], ["--network"], ["--name", "sync"], ["--what"], ["x"]])
def test_other_flags_are_for_the_long_way(root: Path, lua: Lua, ahead: list[bool], flags: list[str]) -> None:
    words = ["test", "--ci", "skill", "--name", "sync", "--input", "{}"]
    lua(*words, cwd=root)
    lua(*words, *flags, cwd=root)
    assert ahead == [False, False]


@pytest.mark.parametrize("name", ["../../x", "", "a/b", "ä", "x" * 65])
def test_a_name_that_is_no_file(root: Path, lua: Lua, ahead: list[bool], name: str) -> None:
    lua("test", "--ci", "skill", "--name", "sync", "--input", "{}", cwd=root)
    assert lua("test", "--ci", "skill", "--name", name, "--input", "{}", cwd=root).exit_code == 3
    assert ahead == [False, False]


def test_nothing_is_left_behind(root: Path, lua: Lua, tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    for name in ("sync", "sync", "writes", "writes", "raises", "raises"):
        lua("test", "--ci", "skill", "--name", name, "--input", "{}", cwd=root, env={"TMPDIR": str(place)})
    assert list(place.iterdir()) == []


def test_what_the_shell_left_open_is_not_the_tools(root: Path, lua: Lua) -> None:
    """A descriptor without close-on-exec, as `3>file` of a shell gives one; in a process of its own, which forks."""
    code = "return [os.readlink(path) for n in range(3, 300) if os.path.islink(path := f'/proc/self/fd/{n}')]"
    edit(root / "src/agent.py", 'return {"given": input, "ü": [1, 2.5, None]}', code)
    words = ["test", "--ci", "skill", "--name", "sync", "--input", "{}"]
    assert lua(*words, cwd=root).exit_code == 0
    with (root.parent / "left-open").open("w") as file:
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "lua_cli", *words],
            cwd=root, pass_fds=(file.fileno(),), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "lua_cli.child.forked" in done.stderr, done.stderr[-3000:]
    assert "left-open" not in done.stdout
    assert "pipe:" in done.stdout, "it sees its own"


def unpacked(root: Path) -> Path:
    return next(path.parent for path in (root / ".lua/cache/unpacked").glob("*/agent.py") if "Sync" in path.read_text())


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
