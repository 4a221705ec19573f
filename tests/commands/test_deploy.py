"""`lua deploy` and `lua rollback`: what goes live, and what is said of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lua_cli.commands.session import Session
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.commands.project_text import AGENT, FILES, edited
from tests.conftest import Result

Lua = Callable[..., Result]


@pytest.fixture
def root(write_project: Callable[[Mapping[str, str]], Path], lua: Lua) -> Path:
    """A project with orders 1.0.0 and 1.1.0 pushed, nothing live."""
    root = write_project(FILES)
    assert lua("push", "skill", "--name", "orders", cwd=root).exit_code == 0
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    assert lua("push", "skill", "--name", "orders", "--set-version", "1.1.0", cwd=root).exit_code == 0
    return root


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "interactive", property(lambda self: not self.ci))


def history(skill: str = "orders") -> list[str]:
    with EmbeddedRegistry(Path(os.environ["LUA_DATA_DIR"]) / "registry.db") as registry:
        return [entry.version for entry in registry.history("acme", skill)]


def deploy(lua: Lua, root: Path, version: str, *flags: str) -> Result:
    return lua("deploy", "skill", "--name", "orders", "--set-version", version, *flags, cwd=root)


def test_a_version_goes_live_and_the_next_one_says_what_was_before(lua: Lua, root: Path) -> None:
    first = deploy(lua, root, "1.0.0")
    assert (first.exit_code, first.stdout) == (0, "orders 1.0.0  live (entry 1)\n  + get_order\n")
    second = deploy(lua, root, "latest")
    assert second.stdout == "orders 1.0.0 -> 1.1.0  live (entry 2)\n  ~ get_order (description)\n"
    again = deploy(lua, root, "1.1.0")
    assert (again.exit_code, again.stdout) == (0, "orders: nothing to deploy, 1.1.0 is live\n")
    assert history() == ["1.0.0", "1.1.0"]


def test_a_dry_run_changes_nothing(lua: Lua, root: Path) -> None:
    result = deploy(lua, root, "latest", "--dry-run")
    assert (result.exit_code, result.stdout) == (0, "orders 1.1.0  would go live\n  + get_order\n")
    assert history() == []


def test_rolling_back_is_a_new_entry(lua: Lua, root: Path) -> None:
    deploy(lua, root, "1.0.0")
    deploy(lua, root, "1.1.0")
    result = lua("rollback", "skill", "--name", "orders", cwd=root)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "orders 1.1.0 -> 1.0.0  live (entry 3)")
    chosen = lua("rollback", "skill", "--name", "orders", "--set-version", "1.1.0", "--json", cwd=root)
    (step,) = json.loads(chosen.stdout)["steps"]
    assert (step["action"], step["previous"], step["version"], step["entry"]) == ("deployed", "1.0.0", "1.1.0", 4)
    assert history() == ["1.0.0", "1.1.0", "1.0.0", "1.1.0"]


def test_a_rollback_warns_of_variables_that_the_old_version_needs(lua: Lua, root: Path) -> None:
    source = AGENT.replace('return {"number": input["number"]}', 'return {"key": os.environ["OLD_KEY"]}')
    (root / "agent.py").write_text(source.replace("from lua_cli", "import os\n\nfrom lua_cli", 1), encoding="utf-8")
    lua("push", "skill", "--name", "orders", "--auto-deploy", cwd=root)
    deploy(lua, root, "1.0.0")
    result = lua("rollback", "skill", "--name", "orders", "--dry-run", cwd=root)
    assert "  ! OLD_KEY is needed and not set here\n" in result.stdout


def test_a_rollback_does_not_wait_for_the_source_to_compile(lua: Lua, root: Path) -> None:
    deploy(lua, root, "1.0.0")
    deploy(lua, root, "1.1.0")
    (root / "agent.py").write_text("this is no Python\n", encoding="utf-8")
    result = lua("rollback", "skill", "--name", "orders", cwd=root)
    assert result.exit_code == 0, result.stderr
    assert history()[-1] == "1.0.0"


@pytest.mark.parametrize("broken", [False, True])
def test_all_is_all_of_the_project(
    lua: Lua, root: Path, write_project: Callable[[Mapping[str, str]], Path], broken: bool
) -> None:
    """Another project pushes a skill to an agent of the same name: it is not this project's to make live."""
    theirs = write_project({name: text.replace('"orders"', '"returns"') for name, text in FILES.items()})
    assert lua("push", "skill", "--name", "returns", cwd=theirs).exit_code == 0
    if broken:
        (root / "agent.py").write_text("this is no Python\n", encoding="utf-8")
    result = lua("deploy", "all", cwd=root)
    assert (result.exit_code, result.stdout) == (0, "orders 1.1.0  live (entry 1)\n  + get_order\n"), result.stderr
    assert "left alone, not of this project: returns\n" in result.stderr
    assert (history("orders"), history("returns")) == (["1.1.0"], [])


def test_what_all_leaves_out_is_said(lua: Lua, root: Path) -> None:
    result = lua("deploy", "all", cwd=root)
    assert (result.exit_code, result.stdout) == (0, "orders 1.1.0  live (entry 1)\n  + get_order\n"), result.stderr
    assert "left out, never pushed: refunds (lua push all)\n" in result.stderr


@pytest.mark.parametrize(
    ("args", "exit_code", "said"),
    [
        (("deploy", "skill", "--name", "orders", "--set-version", "9.0.0"), 3, "✖ not_found: skill 'orders' has no version 9.0.0\n  hint: there are: 1.1.0, 1.0.0\n"),
        (("deploy", "skill", "--name", "orders", "--set-version", "v1"), 2, "✖ usage: 'v1' is not a version: write it without the 'v'"),
        (("deploy", "skill", "--name", "orders"), 2, "✖ usage: missing --set-version\n  hint: lua deploy skill --name orders --set-version latest\n"),
        (("deploy", "--ci"), 2, "✖ usage: missing --name\n  hint: lua deploy skill --name orders\n"),
        (("deploy", "skill", "--name", "order", "--set-version", "latest"), 3, 'skill "order" not found\n  hint: did you mean orders?\n'),
        (("deploy", "skill", "--name", "refunds", "--set-version", "latest"), 3, "push it first: `lua push skill --name refunds`"),
        (("deploy", "skill", "--name", "get_order", "--set-version", "latest"), 3, "tools are never deployed alone"),
        (("deploy", "all", "--set-version", "1.0.0"), 2, "`all` takes the latest version of every skill"),
        (("deploy", "all", "--name", "orders"), 2, "`all` takes the latest version of every skill"),
        (("rollback", "all"), 2, "cannot do that with 'all'"),
        (("rollback", "skill", "--name", "orders"), 3, "orders has nothing to roll back to: no version was ever live"),
        (("rollback", "skill", "--name", "orders", "--set-version", "9.0.0"), 3, "has no version 9.0.0"),
        (("rollback", "--ci"), 2, "missing --name"),
    ],
)  # fmt: skip
def test_what_is_refused(lua: Lua, root: Path, args: tuple[str, ...], exit_code: int, said: str) -> None:
    result = lua(*args, cwd=root)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert said in result.stderr
    assert history() == []


@pytest.mark.parametrize(("answer", "exit_code", "there"), [(b"n\n", 130, []), (b"y\n", 0, ["1.1.0"])])
def test_a_person_is_asked_and_a_script_is_not(
    lua: Lua, root: Path, at_terminal: None, answer: bytes, exit_code: int, there: list[str]
) -> None:
    result = lua("deploy", "skill", "--name", "orders", "--set-version", "latest", cwd=root, stdin=answer)
    assert result.exit_code == exit_code, result.stderr
    assert "orders 1.1.0 goes live. Go on?" in result.stderr
    assert history() == there


def test_force_asks_nothing(lua: Lua, root: Path, at_terminal: None) -> None:
    result = deploy(lua, root, "1.0.0", "--force")
    assert result.exit_code == 0
    assert "Go on?" not in result.stderr


def test_skill_and_version_are_picked_at_a_terminal(lua: Lua, root: Path, at_terminal: None) -> None:
    result = lua("deploy", cwd=root, stdin=b"orders\n2\ny\n")
    assert result.exit_code == 0, result.stderr
    assert "  1  1.1.0\n  2  1.0.0\n" in result.stderr
    assert history() == ["1.0.0"]


def test_json_of_a_plan(lua: Lua, root: Path) -> None:
    result = deploy(lua, root, "latest", "--dry-run", "--json")
    body = json.loads(result.stdout)
    assert (body["dryRun"], body["agent"]) == (True, "acme")
    (step,) = body["steps"]
    assert (step["action"], step["version"], step["previous"], step["why"]) == (
        "deploy",
        "1.1.0",
        None,
        "nothing is live",
    )
