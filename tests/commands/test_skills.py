"""`lua skills`, `lua skills versions` and `lua status`: what is where, and what comes next."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.commands.project_text import AGENT, FILES, edited
from tests.conftest import Result

Lua = Callable[..., Result]


@pytest.fixture
def root(write_project: Callable[[Mapping[str, str]], Path]) -> Path:
    return write_project(FILES)


def data() -> Path:
    return Path(os.environ["LUA_DATA_DIR"])


def skills(lua: Lua, root: Path) -> dict[str, tuple[str, str | None, str | None, str | None]]:
    """name → local state, latest, live, next."""
    body = json.loads(lua("skills", "--json", cwd=root).stdout)
    return {s["name"]: (s["local"]["state"], s["latest"], s["live"], s["next"]) for s in body["skills"]}


def test_the_life_of_a_skill(lua: Lua, root: Path) -> None:
    push, deploy = "lua push skill --name orders", "lua deploy skill --name orders --set-version "
    assert skills(lua, root)["orders"] == ("new", None, None, push)
    lua("push", "skill", "--name", "orders", cwd=root)
    assert skills(lua, root)["orders"] == ("same", "1.0.0", None, deploy + "1.0.0")
    lua("deploy", "skill", "--name", "orders", "--set-version", "1.0.0", cwd=root)
    assert skills(lua, root)["orders"] == ("same", "1.0.0", "1.0.0", None)
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    assert skills(lua, root)["orders"] == ("changed", "1.0.0", "1.0.0", push)
    lua("push", "skill", "--name", "orders", cwd=root)
    assert skills(lua, root)["orders"] == ("same", "1.0.1", "1.0.0", deploy + "1.0.1")
    (root / "agent.py").write_text(AGENT, encoding="utf-8")
    assert skills(lua, root)["orders"] == ("older", "1.0.1", "1.0.0", None)
    (root / "agent.py").write_text(AGENT.replace("skills=[orders, refunds]", "skills=[refunds]"), encoding="utf-8")
    assert skills(lua, root)["orders"] == ("removed", "1.0.1", "1.0.0", None)


def test_the_list_as_text(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", "--auto-deploy", cwd=root)
    result = lua("skills", cwd=root)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        "SKILL    LIVE   LATEST  LOCAL          TOOLS\n"
        "orders   1.0.0  1.0.0   same as 1.0.0  get_order\n"
        "refunds  -      -       not pushed     refund_order\n"
    )
    assert result.stderr == f"agent acme on the embedded registry ({data() / 'registry.db'})\n"


def test_looking_creates_no_registry(lua: Lua, root: Path) -> None:
    assert lua("skills", cwd=root).exit_code == 0
    assert lua("status", cwd=root).exit_code == 0
    assert not data().exists()


def test_a_project_that_does_not_compile_is_still_listed(lua: Lua, root: Path) -> None:
    lua("push", "all", cwd=root)
    (root / "agent.py").write_text(AGENT.replace("tools=[GetOrder()]", "tools=[GetOrder]"), encoding="utf-8")
    result = lua("skills", cwd=root)
    assert result.exit_code == 0, result.stderr
    assert "orders   -     1.0.0   does not compile" in result.stdout
    assert skills(lua, root)["orders"][3] == "lua compile"


def test_the_versions_of_a_skill(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", "--auto-deploy", cwd=root)
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    lua("push", "skill", "--name", "orders", "--set-version", "1.10.0", cwd=root)
    (root / "agent.py").write_text(edited("three"), encoding="utf-8")
    lua("push", "skill", "--name", "orders", "--set-version", "1.9.0", "--force", cwd=root)
    result = lua("skills", "versions", "orders", cwd=root)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["VERSION", "PUSHED", "BY", "SIZE", "DIGEST"]
    assert [line.split()[0] for line in lines[1:4]] == ["1.10.0", "1.9.0", "1.0.0"]
    assert re.match(r"1\.0\.0    live  20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ  ", lines[3])
    assert lines[4] == ""
    assert lines[5].split() == ["ENTRY", "WENT", "LIVE", "AT", "BY"]
    assert lines[6].split()[:2] == ["1", "1.0.0"]


def test_the_versions_as_json(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", "--auto-deploy", cwd=root)
    lua("push", "skill", "--name", "orders", "--set-version", "1.1.0", "--auto-deploy", cwd=root)
    body = json.loads(lua("skills", "versions", "orders", "--json", cwd=root).stdout)
    assert (body["skill"], body["live"], body["latest"]) == ("orders", "1.1.0", "1.1.0")
    assert [(v["version"], v["live"], v["yanked"], v["tools"]) for v in body["versions"]] == [
        ("1.1.0", True, False, ["get_order"]),
        ("1.0.0", False, False, ["get_order"]),
    ]
    assert [(e["entry"], e["version"], e["previous"]) for e in body["history"]] == [
        (1, "1.0.0", None),
        (2, "1.1.0", "1.0.0"),
    ]


@pytest.mark.parametrize(
    ("args", "exit_code", "said"),
    [
        (("skills", "versions"), 2, "missing NAME"),
        (("skills", "versions", "order"), 3, "did you mean orders?"),
        (("skills", "versions", "refunds"), 3, "push it first: `lua push skill --name refunds`"),
        (("skills", "--format", "xml"), 2, "unknown format 'xml'"),
        (("status", "--format", "xml"), 2, "unknown format 'xml'"),
    ],
)
def test_what_is_refused(lua: Lua, root: Path, args: tuple[str, ...], exit_code: int, said: str) -> None:
    lua("push", "skill", "--name", "orders", cwd=root)
    result = lua(*args, cwd=root)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert said in result.stderr


def test_status_says_where_everything_is_and_what_comes_next(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", cwd=root)
    result = lua("status", cwd=root)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[:3] == [
        f"project   {root} (agent.py)",
        "agent     acme",
        f"registry  embedded ({data() / 'registry.db'})",
    ]
    assert lines[3].startswith("python    ")
    assert lines[4] == ""
    assert lines[5].split() == ["SKILL", "BUILD", "LOCAL", "LATEST", "LIVE", "NEXT"]
    assert re.fullmatch(
        r"orders   sha256:[0-9a-f]{12}  same as 1\.0\.0  1\.0\.0   -     lua deploy skill --name orders --set-version 1\.0\.0",
        lines[6],
    )
    assert re.fullmatch(
        r"refunds  sha256:[0-9a-f]{12}  not pushed     -       -     lua push skill --name refunds", lines[7]
    )


def test_status_as_json(lua: Lua, root: Path) -> None:
    body = json.loads(lua("status", "--json", cwd=root).stdout)
    assert (body["project"], body["entry"], body["agent"], body["compiles"]) == (str(root), "agent.py", "acme", True)
    assert body["registry"] == {"kind": "embedded", "where": str(data() / "registry.db")}
    assert body["state"] == {"path": "lua.skill.toml", "damaged": None}
    assert [skill["local"]["state"] for skill in body["skills"]] == ["new", "new"]


def test_status_names_a_damaged_state_file(lua: Lua, root: Path) -> None:
    (root / "lua.skill.toml").write_text("<<<", encoding="utf-8")
    result = lua("status", cwd=root)
    assert result.exit_code == 0
    assert "state     lua.skill.toml is damaged (not valid TOML" in result.stdout


def test_another_folder_for_the_data(lua: Lua, root: Path, tmp_path: Path) -> None:
    lua("push", "skill", "--name", "orders", cwd=root, env={"LUA_DATA_DIR": str(tmp_path / "elsewhere")})
    assert (tmp_path / "elsewhere" / "registry.db").is_file()
    assert not data().exists()
