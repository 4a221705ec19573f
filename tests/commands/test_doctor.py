"""`lua doctor`: what is there, where each variable comes from, and what is amiss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.project_text import AGENT
from tests.commands.test_reported_sources import Lua, Write
from tests.registry.api_server import KEY, ApiServer

BODY = 'return [os.environ["A"], os.environ["B"], os.environ["C"], os.getenv("D", ""), os.environ["E"]]'
SOURCE = AGENT.replace('return {"number": input["number"]}', BODY).replace("from lua_cli", "import os\nfrom lua_cli", 1)


def test_where_each_variable_comes_from(lua: Lua, write_project: Write) -> None:
    """The first place that has it; names, never values."""
    root = write_project({"agent.py": SOURCE, ".env": "A=of-file\nB=of-file\n", "more.env": "B=of-more\nC=of-more\n"})
    result = lua("doctor", "--env-file", "more.env", "--json", cwd=root, env={"A": "of-shell"})
    found = json.loads(result.stdout)
    assert (result.exit_code, found["ok"]) == (1, False)
    assert {variable["name"]: variable["from"] for variable in found["variables"]} == {
        "A": "the shell", "B": "more.env", "C": "more.env", "D": None, "E": None,
    }  # fmt: skip
    assert found["troubles"] == ["E is set nowhere, and agent.py:13 reads it without a default"]
    text = lua("doctor", cwd=root, env={"A": "of-shell", "C": "of-shell", "E": "of-shell"})
    assert text.exit_code == 0
    assert "variable   B  .env  (read at agent.py:13)\n" in text.stdout
    assert "variable   D  not set; it has a default  (read at agent.py:13)\n" in text.stdout
    assert not any(value in result.stdout + text.stdout for value in ("of-shell", "of-file", "of-more"))


def test_which_program_a_name_starts(lua: Lua, write_project: Write, tmp_path: Path) -> None:
    root = write_project({"agent.py": AGENT})
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (
        ("lua", "#!/bin/sh\nexec lua5.4\n"),
        ("heylua", "#!/usr/bin/python\nfrom lua_cli.main import main\n"),
    ):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    found = json.loads(lua("doctor", "--json", cwd=root, env={"PATH": str(folder)}).stdout)
    assert found["commands"] == [
        {"name": "lua", "path": str(folder / "lua"), "ours": False},
        {"name": "lua-cli", "path": None, "ours": False},
        {"name": "heylua", "path": str(folder / "heylua"), "ours": True},
    ]
    assert (found["ok"], found["project"]["entry"], found["registry"]["kind"]) == (True, "agent.py", "embedded")
    text = lua("doctor", cwd=root, env={"PATH": str(folder)}).stdout
    assert f"lua        {folder}/lua  (another program)\n" in text
    assert "lua-cli    not on the PATH\n" in text
    assert "sandbox    no bwrap on the PATH" in text


def test_a_folder_without_a_project_and_one_that_does_not_compile(
    lua: Lua, write_project: Write, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    result = lua("doctor", cwd=tmp_path / "empty")
    assert (result.exit_code, "! no lua project in " in result.stdout) == (1, True)
    root = write_project({"agent.py": AGENT + "class Broken(:\n"})
    result = lua("doctor", cwd=root)
    assert (result.exit_code, "! the project does not compile (`lua compile` says why)\n" in result.stdout) == (1, True)


def test_whether_the_registry_answers(
    lua: Lua, write_project: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_project({"agent.py": AGENT})
    server = ApiServer(tmp_path)
    monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("LUA_API_URL", server.address)
    monkeypatch.setenv("LUA_API_KEY", KEY)
    try:
        found = json.loads(lua("doctor", "--json", cwd=root).stdout)
        assert found["registry"] == {"kind": "http", "where": server.address, "answers": True, "agents": ["acme"]}
        refused = lua("doctor", cwd=root, env={"LUA_API_KEY": "lua_wrong"})
    finally:
        server.close()
    assert refused.exit_code == 1
    assert f"registry   http ({server.address})\n" in refused.stdout, "it answers, with a no"
    assert "lua_wrong" not in refused.stdout + refused.stderr
