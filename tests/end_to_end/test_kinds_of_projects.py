"""Projects and surroundings of many kinds, from the source to a tool's result, with the real `lua`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Result

Lua = Callable[..., Result]
WriteProject = Callable[[Mapping[str, str]], Path]

CONTEXT = 'Reply as {"id": 1}. Use {order_id}, {{x}}, ${expr} and 100 %.'
AGENT = f"""\
from __future__ import annotations

from datetime import date
from decimal import Decimal

from pydantic import BaseModel

from lua_cli import LuaAgent, LuaSkill, LuaTool


class Line(BaseModel):
    sku: str
    price: Decimal | None = None


class Order(BaseModel):
    day: date
    lines: list[Line] = []
    note: str | None = None


class Lookup(LuaTool):
    name = "Lookup"
    description = "Sum up an order with umlauts üöä, 订单 and 😀, {{braces}}. Use when the customer asks for the total."

    async def execute(self, input: Order) -> dict:
        return {{"day": input.day, "total": sum(line.price or 0 for line in input.lines), "größe": "訂"}}


class LowerLookup(LuaTool):
    name = "lookup"
    description = "Count the lines of an order. Use when the customer asks how many things were ordered."
    input_schema = Order
    seen: list[str] = []

    def execute(self, input: Order) -> list[str]:
        self.seen.append(input.note or "")
        return self.seen


class Con(LowerLookup):
    name = "con"
    seen = []


skill = LuaSkill(name="Con", context={CONTEXT!r}, tools=[Lookup(), LowerLookup(), Con()])
agent = LuaAgent(name="acme", persona={CONTEXT!r}, skills=[skill])
"""
ORDER = '{"day": "2026-01-02", "lines": [{"sku": "a", "price": "10.10"}, {"sku": "b"}], "note": "n"}'


@pytest.fixture
def project(write_project: WriteProject) -> Path:
    return write_project({"agent.py": AGENT})


def compiled(result: Result) -> dict[str, object]:
    document = json.loads(result.stdout)
    assert document["ok"], document["diagnostics"]
    return dict(document)


def test_postponed_annotations_names_that_differ_by_case_and_reserved_names(lua_process: Lua, project: Path) -> None:
    assert compiled(lua_process("compile", "--ci", "--json", cwd=project))
    outputs = {
        name: json.loads(
            lua_process("test", "--ci", "skill", "--name", name, "--input", ORDER, "--json", cwd=project).stdout
        )
        for name in ("Lookup", "lookup", "con")
    }
    assert outputs["Lookup"]["output"] == {"day": "2026-01-02", "total": "10.10", "größe": "訂"}
    assert [outputs[name]["output"] for name in ("lookup", "con")] == [["n"], ["n"]]
    again = lua_process("test", "--ci", "skill", "--name", "lookup", "--input", ORDER, "--json", cwd=project)
    assert json.loads(again.stdout)["output"] == ["n"], "a list on the class lives as long as the process of one run"


def test_braces_and_signs_reach_the_artifact_as_they_are(lua_process: Lua, project: Path) -> None:
    from lua_cli.bundle import open_artifact

    document = compiled(lua_process("compile", "--ci", "--json", cwd=project))
    (skill,) = document["skills"]  # type: ignore[misc]
    manifest = open_artifact(project / skill["artifact"]).manifest  # type: ignore[has-type]
    assert manifest["skill"]["context"] == CONTEXT
    assert "umlauts üöä, 订单 and 😀, {braces}." in manifest["tools"][0]["description"]


SURROUNDINGS = {
    "a console of Windows": {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    "the C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ASCII": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
}


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_what_a_terminal_cannot_show_ends_nothing(name: str, lua_process: Lua, project: Path, tmp_path: Path) -> None:
    environment = {**os.environ, **SURROUNDINGS[name]}

    def lua(*words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-m", "lua_cli"]
        return subprocess.run([*command, *words], cwd=cwd, env=environment, capture_output=True, timeout=120)

    assert lua("init", "größe", "--template", "minimal", "--ci", cwd=tmp_path).returncode == 0
    for folder in (tmp_path / "größe", project):
        text = lua("compile", "--ci", cwd=folder)
        assert (text.returncode, b"Traceback" in text.stdout + text.stderr) == (0, False), text.stderr
    tested = lua("test", "--ci", "skill", "--name", "Lookup", "--input", ORDER, "--json", cwd=project)
    assert json.loads(tested.stdout.decode("ascii"))["output"]["größe"] == "訂"
    cases = lua("test", "--ci", cwd=tmp_path / "größe")
    assert (cases.returncode, b"passed" in cases.stdout) == (0, True)


def test_the_same_artifacts_wherever_and_however_it_is_compiled(write_project: WriteProject, tmp_path: Path) -> None:
    """The whole way, with the schemas that a child reads."""
    surroundings: list[dict[str, str]] = [
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "2", "TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONOPTIMIZE": "2"},
    ]
    digests = []
    for number, (more, newline, umask) in enumerate(zip(surroundings, ("\n", "\r\n"), (0o22, 0o77), strict=True)):
        root = tmp_path / f"folder {number}" / "ü"
        root.mkdir(parents=True)
        (root / "agent.py").write_bytes(AGENT.replace("\n", newline).encode())
        (root / "pyproject.toml").write_bytes(f"[tool.lua]{newline}".encode())
        os.utime(root / "agent.py", (number * 1e8, number * 1e8))
        code = (
            f"import os, sys; os.umask({umask}); from lua_cli.main import main; sys.exit(main(['compile', '--json']))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={**os.environ, **more}, capture_output=True, timeout=120
        )
        assert done.returncode == 0, done.stdout
        digests += [skill["digest"] for skill in json.loads(done.stdout)["skills"]]
    assert digests[0] == digests[1]


OFFLINE = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        sys.stderr.write(f"CONNECTED: {event} {arguments}\\n")
        raise OSError("no network")

sys.addaudithook(refuse)
from lua_cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["compile", "--ci"],
        ["test", "--ci", "skill", "--name", "lookup", "--input", ORDER],
        ["--help"],
        ["status", "--ci"],
        ["explain", "lua/not-a-tool"],
    ],
    ids=lambda words: words[0],
)
def test_nothing_is_connected_to(words: list[str], project: Path) -> None:
    environment = {**os.environ, "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, *words],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, "CONNECTED" in done.stderr) == (0, False), done.stderr


def test_a_folder_below_and_an_env_file_above(lua_process: Lua, write_project: WriteProject) -> None:
    tool = 'from lua_cli import LuaAgent, LuaSkill, LuaTool, env\n\nclass Zone(LuaTool):\n    name = "zone"\n'
    tool += '    description = "Tell the time zone of the shop. Use when the customer asks for local times."\n'
    tool += '    input_schema = {"type": "object"}\n    def execute(self, input): return [env("ZONE", "none"), env("OWN", "none")]\n'
    tool += 's = LuaSkill(name="s", context="c", tools=[Zone()])\nagent = LuaAgent(name="a", skills=[s])\n'
    root = write_project({"agent.py": tool, ".env": "OWN=project\n", "deep/er/x": ""})
    (root.parent / ".env").write_text("ZONE=above\nOWN=above\n", encoding="utf-8")
    (root / "deep/.env").write_text("ZONE=below\nOWN=below\n", encoding="utf-8")
    found = lua_process("test", "--ci", "skill", "--name", "zone", cwd=root / "deep/er")
    assert json.loads(found.stdout) == ["none", "project"]


def test_the_default_time_limit_is_in_the_help(lua_process: Lua, project: Path) -> None:
    shown = lua_process("test", "skill", "--help", cwd=project).stdout
    assert "[default: 30.0]" in shown
