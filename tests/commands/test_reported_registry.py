"""What has gone wrong for people elsewhere with registries, through the commands and a real server: two pushes at once, lost
answers, another account, a rollback to what needs an old variable, odd version numbers, renamed tools."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands.project_text import AGENT, FILES, edited
from tests.commands.test_reported_sources import Lua, Write
from tests.conftest import Result
from tests.registry.api_server import KEY, ApiServer, Fault
from tests.server.serving import Server

PUSH = ("push", "skill", "--ci", "--name", "orders")
OLD_KEY = AGENT.replace('return {"number": input["number"]}', 'return {"key": env("OLD_KEY")}').replace(
    "LuaTool\n", "LuaTool, env\n", 1
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("reported")).start()
    yield server
    server.close()


@pytest.fixture
def agent(running: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """An agent of the test's own, with a key for it alone in the environment."""
    name = f"agent-{tmp_path.name}"
    monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("LUA_API_URL", running.address)
    monkeypatch.setenv("LUA_API_KEY", running.key("ci", name))
    return name


def named(agent: str, text: str = AGENT) -> dict[str, str]:
    return {"agent.py": text.replace('"acme"', f'"{agent}"')}


def data(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def at_once(*pushes: Callable[[], Result]) -> list[Result]:
    results: list[Result] = []
    threads = [threading.Thread(target=lambda push=push: results.append(push())) for push in pushes]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert len(results) == len(pushes)
    return results


def versions(lua: Lua, root: Path) -> list[str]:
    found = data(lua("skills", "versions", "orders", "--json", cwd=root))
    return [version["version"] for version in found["versions"]]


def test_two_pushes_of_the_same_content_at_once_are_one_version(
    lua: Lua, lua_process: Lua, write_project: Write, agent: str
) -> None:
    clones = [write_project(named(agent)) for _ in range(2)]
    for clone in clones:
        assert lua("compile", cwd=clone).exit_code == 0
    results = at_once(*[lambda clone=clone: lua_process(*PUSH, cwd=clone) for clone in clones])  # type: ignore[misc]
    assert [result.exit_code for result in results] == [0, 0], results
    assert versions(lua, clones[0]) == ["1.0.0"]


def test_two_pushes_of_other_content_at_once_lose_nothing(
    lua: Lua, lua_process: Lua, write_project: Write, agent: str
) -> None:
    """Each is a version of its own, or one is told that the other came first; neither is overwritten."""
    clones = [write_project(named(agent, edited(word))) for word in ("one", "two")]
    for clone in clones:
        assert lua("compile", cwd=clone).exit_code == 0
    results = at_once(*[lambda clone=clone: lua_process(*PUSH, cwd=clone) for clone in clones])  # type: ignore[misc]
    codes = sorted(result.exit_code for result in results)
    assert codes in ([0, 0], [0, 1]), results
    assert len(versions(lua, clones[0])) == codes.count(0)


def test_a_lost_answer_and_a_second_push_make_no_second_version(
    lua: Lua, write_project: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server stores the version and the connection breaks: the repeated call is answered with what there is."""
    server = ApiServer(tmp_path)
    try:
        monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "config"))
        monkeypatch.setenv("LUA_API_URL", server.address)
        monkeypatch.setenv("LUA_API_KEY", KEY)
        root = write_project(FILES)
        server.faults.append(Fault("POST .*/version$", drop="after"))
        assert lua(*PUSH, cwd=root).exit_code == 0
        again = lua(*PUSH, cwd=root)
        assert (again.exit_code, again.stdout) == (0, "orders: nothing to push, 1.0.0 has this content\n")
        assert versions(lua, root) == ["1.0.0"]
    finally:
        server.close()


def test_a_key_of_another_account_changes_nothing(
    lua: Lua, write_project: Write, agent: str, running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A colleague clones the project, whose lua.skill.toml names an agent that their key is not for."""
    root = write_project(named(agent))
    assert lua(*PUSH, cwd=root).exit_code == 0
    monkeypatch.setenv("LUA_API_KEY", running.key("colleague", f"{agent}-other"))
    (root / "agent.py").write_text(named(agent, edited("theirs"))["agent.py"], encoding="utf-8")
    refused = lua(*PUSH, "--auto-deploy", "--json", cwd=root)
    assert refused.exit_code == 10
    error = json.loads(refused.stdout)["error"]
    assert error["type"] == "forbidden" and "lua auth whoami" in error["hint"]
    monkeypatch.setenv("LUA_API_KEY", running.key("mo"))
    assert versions(lua, root) == ["1.0.0"]


def test_a_rollback_to_what_needs_a_variable_that_was_removed(lua: Lua, write_project: Write, agent: str) -> None:
    root = write_project(named(agent, OLD_KEY))
    for name in ("OLD_KEY", "NEW_KEY"):
        assert lua("env", "production", "-k", name, "-v", "x", cwd=root).exit_code == 0
    assert lua(*PUSH, "--auto-deploy", cwd=root).exit_code == 0
    (root / "agent.py").write_text(named(agent, OLD_KEY.replace("OLD_KEY", "NEW_KEY"))["agent.py"], encoding="utf-8")
    assert lua(*PUSH, "--auto-deploy", cwd=root).exit_code == 0
    assert lua("env", "production", "-k", "OLD_KEY", "-d", "--force", cwd=root).exit_code == 0
    back = lua("rollback", "skill", "--name", "orders", "--dry-run", cwd=root)
    assert f"! OLD_KEY is needed and not set for agent {agent}" in back.stdout
    done = data(lua("rollback", "skill", "--name", "orders", "--json", cwd=root))
    (step,) = done["steps"]
    assert (step["previous"], step["version"], step["entry"]) == ("1.0.1", "1.0.0", 3)
    assert lua("skills", "yank", "orders@1.0.1", "--force", cwd=root).exit_code == 0
    gone = lua("deploy", "skill", "--name", "orders", "--set-version", "1.0.1", cwd=root)
    assert gone.exit_code == 1 and "was withdrawn (yanked)" in gone.stderr
    assert data(lua("skills", "--json", cwd=root))["skills"][0]["live"] == "1.0.0"


@pytest.mark.parametrize(
    ("version", "exit_code", "said"),
    [
        ("1.10.0", 0, ""),
        ("1.0", 2, "is not a version"),
        ("v2", 2, "write it without the 'v'"),
        ("01.2.3", 2, "is not a version"),
        ("2.0.0-rc.1", 0, ""),
        ("2.0.0+build", 0, ""),
        ("1.8.0", 2, "1.8.0 is lower than 1.9.0"),
        ("1.9.0", 1, "exists already with other content"),
        ("latest", 2, "`latest` is no version to push"),
    ],
)
def test_version_numbers(lua: Lua, write_project: Write, agent: str, version: str, exit_code: int, said: str) -> None:
    root = write_project(named(agent))
    assert lua(*PUSH, "--set-version", "1.9.0", cwd=root).exit_code == 0
    (root / "agent.py").write_text(named(agent, edited("two"))["agent.py"], encoding="utf-8")
    result = lua(*PUSH, "--set-version", version, cwd=root)
    assert result.exit_code == exit_code, result.stderr
    assert said in result.stderr
    assert len(versions(lua, root)) == (2 if exit_code == 0 else 1)


def test_a_renamed_and_a_removed_tool_are_seen_before_they_are_gone(lua: Lua, write_project: Write, agent: str) -> None:
    track = """class Track(LuaTool):
    name = "track"
    description = "Say where a parcel is. Use when the customer waits for one."
    input_schema = {"type": "object", "properties": {"parcel": {"type": "string"}}}

    def execute(self, input):
        return {}


class Refund"""
    first = AGENT.replace("class Refund", track, 1).replace("[GetOrder()]", "[GetOrder(), Track()]")
    root = write_project(named(agent, first))
    assert lua(*PUSH, "--auto-deploy", cwd=root).exit_code == 0
    renamed = (
        AGENT.replace('name = "get_order"', 'name = "find_order"')
        .replace('"required": ["number"]}', '"required": ["number", "region"]}')
        .replace(
            '{"number": {"type": "string"}}, "required"',
            '{"number": {"type": "string"}, "region": {"type": "string"}}, "required"',
        )
    )
    (root / "agent.py").write_text(named(agent, renamed)["agent.py"], encoding="utf-8")
    planned = lua(*PUSH, "--dry-run", cwd=root)
    assert planned.exit_code == 0, planned.stderr
    lines = [line.strip() for line in planned.stdout.splitlines()]
    assert "+ find_order  (looks like get_order, renamed; input schema)" in lines
    assert {"- get_order", "- track"} <= set(lines)
    assert any(line == "! /region is new and required" for line in lines), lines
    linted = json.loads(lua("compile", "--check", "--json", cwd=root).stdout)
    codes = [(found["code"], found["line"]) for found in linted["diagnostics"]]
    assert ("lua/tool-confusion", 24) in codes, codes
    assert data(lua("skills", "versions", "orders", "--json", cwd=root))["history"][-1]["version"] == "1.0.0"
