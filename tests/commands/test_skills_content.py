"""`lua skills diff`, `pull`, `yank` and `verify`, on the embedded registry and on `lua serve`."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lua_cli.bundle import open_artifact
from tests.commands.project_text import AGENT, FILES
from tests.conftest import Result
from tests.server.serving import Server

Lua = Callable[..., Result]


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("serve")).start()
    yield running
    running.close()


@pytest.fixture(params=["embedded", "serve"])
def root(
    request: pytest.FixtureRequest,
    write_project: Callable[[Mapping[str, str]], Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Path:
    if request.param == "serve":
        server: Server = request.getfixturevalue("serve")
        monkeypatch.setenv("LUA_API_URL", server.address)
        monkeypatch.setenv("LUA_API_KEY", server.key("mo", f"acme-{tmp_path.name}"))
    return write_project(FILES)


SECOND = (
    AGENT.replace('name = "get_order"', 'name = "find_order"')
    .replace('"Use get_order for the state of orders."', '"Use find_order for the state of orders, with its number."')
    .replace(
        '"properties": {"number": {"type": "string"}}}',
        '"properties": {"number": {"type": "string"}, "why": {"type": "string"}}, "required": ["why"]}',
    )
)


def document(result: Result) -> Any:
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def pushed(lua: Lua, root: Path) -> Path:
    """1.0.0 of both skills is live; the working tree is another."""
    done = lua("push", "all", "--auto-deploy", cwd=root)
    assert done.exit_code == 0, done.stderr
    (root / "agent.py").write_text(SECOND, encoding="utf-8")
    return root


def test_diff_says_what_the_model_sees_first_and_then_files(lua: Lua, pushed: Path) -> None:
    result = lua("skills", "diff", "orders", cwd=pushed)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[:7] == [
        "orders 1.0.0 (live) -> the working tree",
        "  + find_order  (looks like get_order, renamed)",
        "  - get_order",
        "  ~ context of the skill (about 10 -> 14 tokens)",
        "      - Use get_order for the state of orders.",
        "      + Use find_order for the state of orders, with its number.",
        "files",
    ]
    assert lines[7].startswith("  ~ agent.py  (+")
    refunds = lua("skills", "diff", "refunds", cwd=pushed).stdout
    assert "  ~ refund_order (input schema)\n    ! /why is new and required\n" in refunds


def test_diff_of_two_versions_and_a_dry_run_are_the_same_changes(lua: Lua, pushed: Path) -> None:
    dry = document(lua("push", "skill", "--name", "refunds", "--dry-run", "--format", "json", cwd=pushed))
    (step,) = dry["steps"]
    assert step["changes"]["breaking"] is True
    assert step["changes"]["changed"] == [
        {
            "tool": "refund_order",
            "parts": ["input schema"],
            "schema": [{"kind": "breaking", "path": "/why", "message": "is new and required"}],
        }
    ]
    assert lua("push", "skill", "--name", "refunds", cwd=pushed).exit_code == 0
    compared = document(lua("skills", "diff", "refunds", "1.0.0", "1.0.1", "--json", cwd=pushed))
    assert (compared["from"], compared["to"]) == ("refunds 1.0.0 (live)", "refunds 1.0.1")
    assert compared["changes"] == step["changes"]
    assert [file["action"] for file in compared["files"]] == ["changed"]
    same = lua("skills", "diff", "refunds", "latest", "1.0.1", cwd=pushed)
    assert same.stdout == "refunds 1.0.1 -> refunds 1.0.1\n  the model sees no difference\n"
    assert lua("skills", "diff", "refunds", "7.0.0", cwd=pushed).exit_code == 3
    assert lua("skills", "diff", "nope", cwd=pushed).exit_code == 3


def test_pull_fetches_a_version_whole(lua: Lua, pushed: Path, tmp_path: Path) -> None:
    done = lua("skills", "pull", "orders@1.0.0", cwd=pushed)
    assert done.exit_code == 0, done.stderr
    opened = open_artifact(pushed / "orders-1.0.0.luapkg")
    assert opened.skill == "orders" and opened.digest in done.stdout
    named = document(lua("skills", "pull", "orders", "-o", str(tmp_path / "x.luapkg"), "--json", cwd=pushed))
    assert (named["skillVersion"], named["digest"]) == ("1.0.0", opened.digest)
    assert (tmp_path / "x.luapkg").read_bytes() == opened.content
    assert lua("skills", "pull", "orders@1.0.0", cwd=pushed).exit_code == 0  # the same again
    (pushed / "orders-1.0.0.luapkg").write_bytes(b"of another registry")
    refused = lua("skills", "pull", "orders@1.0.0", cwd=pushed)
    assert (refused.exit_code, (pushed / "orders-1.0.0.luapkg").read_bytes()) == (2, b"of another registry")
    assert "orders-1.0.0.luapkg is there already, with another content" in refused.stderr
    assert lua("skills", "pull", "orders@3.0.0", cwd=pushed).exit_code == 3
    lost = lua("skills", "pull", "orders", "-o", str(tmp_path / "no" / "x.luapkg"), cwd=pushed)
    assert lost.exit_code == 1 and "cannot write" in lost.stderr


def test_yank_withdraws_and_takes_back(lua: Lua, pushed: Path) -> None:
    assert lua("push", "skill", "--name", "orders", cwd=pushed).exit_code == 0
    assert lua("skills", "yank", "orders@1.0.1", cwd=pushed).stdout == "orders 1.0.1  withdrawn (yanked)\n"
    deploy = ("deploy", "skill", "--name", "orders", "--set-version", "1.0.1")
    assert "was withdrawn" in lua(*deploy, cwd=pushed).stderr
    live = lua("skills", "yank", "orders@1.0.0", cwd=pushed)
    assert live.exit_code == 1 and "1.0.0 is live" in live.stderr
    back = document(lua("skills", "yank", "orders@1.0.1", "--undo", "--json", cwd=pushed))
    assert (back["version"], back["skillVersion"], back["yanked"]) == (1, "1.0.1", False)
    assert lua(*deploy, cwd=pushed).exit_code == 0
    never = lua("skills", "yank", "orders@1.0.1", "--undo", cwd=pushed)
    assert (never.exit_code, never.stdout) == (0, "orders 1.0.1  may be deployed, as before\n")
    assert lua("skills", "yank", "orders", cwd=pushed).exit_code == 2


def test_verify_reads_everything(lua: Lua, pushed: Path) -> None:
    whole = lua("skills", "verify", cwd=pushed)
    assert whole.exit_code == 0, whole.stderr
    assert whole.stdout.startswith("2 skills, 2 versions, ") and whole.stdout.endswith(": all whole\n")
    if "LUA_API_URL" in os.environ:
        return
    with closing(sqlite3.connect(Path(os.environ["LUA_DATA_DIR"]) / "registry.db")) as connection:
        connection.execute("UPDATE blobs SET content = zeroblob(8) WHERE rowid = 1")
        connection.commit()
    found = document(lua("skills", "verify", "--all", "--json", cwd=pushed))
    assert found["ok"] is False and len(found["faults"]) == 1
    assert "is not what was pushed" in found["faults"][0]["message"]


@pytest.mark.parametrize("command", ["show", "pull", "diff", "yank", "versions"])
def test_a_name_that_is_nearly_one(lua: Lua, pushed: Path, command: str) -> None:
    wanted = "ordrs@1.0.0" if command in ("show", "pull", "yank") else "ordrs"
    result = lua("skills", command, wanted, cwd=pushed)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "did you mean orders" in result.stderr
