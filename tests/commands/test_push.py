"""`lua push`: versions, what is printed, what is refused, and what is left on the disk."""

from __future__ import annotations

import json
import os
import re
import threading
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lua_cli.commands.session import Session
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.commands.project_text import AGENT, FILES, edited
from tests.conftest import Result
from tests.registry.sample import submission

Lua = Callable[..., Result]


@pytest.fixture
def root(write_project: Callable[[Mapping[str, str]], Path]) -> Path:
    return write_project(FILES)


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person answers: what they type is the command's stdin."""
    monkeypatch.setattr(Session, "interactive", property(lambda self: not self.ci))


def registry_file() -> Path:
    return Path(os.environ["LUA_DATA_DIR"]) / "registry.db"


def versions(skill: str = "orders") -> list[str]:
    with EmbeddedRegistry(registry_file()) as registry:
        record = registry.skill("acme", skill)
        return [version.version for version in record.versions] if record else []


def live(skill: str = "orders") -> str | None:
    with EmbeddedRegistry(registry_file()) as registry:
        record = registry.skill("acme", skill)
        return record.live.version if record and record.live else None


def document(result: Result) -> Any:
    """stdout is one JSON document, and nothing else was said there."""
    return json.loads(result.stdout)


def test_a_first_push_and_the_same_again(lua: Lua, root: Path) -> None:
    first = lua("push", "skill", "--name", "orders", cwd=root)
    assert first.exit_code == 0, first.stderr
    assert re.fullmatch(r"orders 1\.0\.0  pushed  sha256:[0-9a-f]{12}  [\d.]+ (B|KiB)\n  \+ get_order\n", first.stdout)
    assert f"agent acme on the embedded registry ({registry_file()})" in first.stderr
    assert "next: lua deploy skill --name orders --set-version 1.0.0" in first.stderr
    again = lua("push", "skill", "--name", "orders", cwd=root)
    assert (again.exit_code, again.stdout) == (0, "orders: nothing to push, 1.0.0 has this content\n")
    assert "next:" not in again.stderr
    assert versions() == ["1.0.0"]


def test_an_edit_is_the_next_patch_with_what_the_model_sees(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", cwd=root)
    (root / "agent.py").write_text(edited("or by date"), encoding="utf-8")
    result = lua("push", "skill", "--name", "orders", cwd=root)
    assert result.exit_code == 0, result.stderr
    first, *details = result.stdout.splitlines()
    assert first.startswith("orders 1.0.0 -> 1.0.1  pushed  sha256:")
    assert details == ["  ~ get_order (description)"]
    assert versions() == ["1.0.0", "1.0.1"]


def test_a_dry_run_prints_the_plan_and_changes_nothing(lua: Lua, root: Path) -> None:
    result = lua("push", "all", "--dry-run", cwd=root)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("orders 1.0.0  would be pushed (new skill)  sha256:")
    assert lines[1] == "  + get_order"
    assert lines[2].startswith("refunds 1.0.0  would be pushed (new skill)  sha256:")
    assert not registry_file().exists()
    assert not (root / "lua.skill.toml").exists()


def test_all_pushes_every_skill(lua: Lua, root: Path) -> None:
    assert lua("push", "all", cwd=root).exit_code == 0
    assert (versions("orders"), versions("refunds")) == (["1.0.0"], ["1.0.0"])
    again = lua("push", "all", cwd=root)
    assert again.stdout == (
        "orders: nothing to push, 1.0.0 has this content\nrefunds: nothing to push, 1.0.0 has this content\n"
    )


def test_a_version_that_is_asked_for(lua: Lua, root: Path) -> None:
    result = lua("push", "--ci", "skill", "--name", "orders", "--set-version", "1.2.0", cwd=root)
    assert result.exit_code == 0, result.stderr
    assert versions() == ["1.2.0"]


def test_other_content_under_an_existing_version_is_refused(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", cwd=root)
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    for flags in ((), ("--force",), ("--dry-run",)):
        result = lua("push", "skill", "--name", "orders", "--set-version", "1.0.0", *flags, cwd=root)
        assert result.exit_code == 1
        assert "✖ conflict: orders 1.0.0 exists already with other content (pushed by" in result.stderr
        assert "hint: versions never change: push it as 1.0.1" in result.stderr
        assert result.stdout == ""
    assert versions() == ["1.0.0"]


def test_a_lower_version_wants_force(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", "--set-version", "2.0.0", cwd=root)
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    args = ("push", "skill", "--name", "orders", "--set-version", "1.0.0")
    refused = lua(*args, "--ci", cwd=root)
    assert refused.exit_code == 2
    assert "✖ usage: orders 1.0.0 is lower than 2.0.0\n  hint: add --force if that is meant\n" in refused.stderr
    assert versions() == ["2.0.0"]
    assert lua(*args, "--force", cwd=root).exit_code == 0
    assert versions() == ["1.0.0", "2.0.0"]


@pytest.mark.parametrize(("answer", "exit_code", "there"), [(b"n\n", 130, ["2.0.0"]), (b"y\n", 0, ["1.0.0", "2.0.0"])])
def test_a_lower_version_is_asked_about_at_a_terminal(
    lua: Lua, root: Path, at_terminal: None, answer: bytes, exit_code: int, there: list[str]
) -> None:
    lua("push", "skill", "--name", "orders", "--set-version", "2.0.0", cwd=root)
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    result = lua("push", "skill", "--name", "orders", "--set-version", "1.0.0", cwd=root, stdin=answer)
    assert result.exit_code == exit_code, result.stderr
    assert "orders 1.0.0 is lower than 2.0.0. Go on?" in result.stderr
    assert versions() == there


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("1.0", "it needs major.minor.patch"),
        ("v2", "write it without the 'v'"),
        ("01.2.3", "a number has no leading zero"),
        ("", "it is empty"),
    ],
)
def test_what_is_no_version_is_a_usage_error(lua: Lua, root: Path, version: str, why: str) -> None:
    result = lua("push", "skill", "--name", "orders", "--set-version", version, cwd=root)
    assert result.exit_code == 2
    assert f"✖ usage: {version!r} is not a version: {why}" in result.stderr
    assert versions() == []


def test_latest_is_reserved(lua: Lua, root: Path) -> None:
    result = lua("push", "skill", "--name", "orders", "--set-version", "latest", cwd=root)
    assert result.exit_code == 2
    assert "`latest` is no version to push" in result.stderr


def test_pre_releases_and_build_metadata(lua: Lua, root: Path) -> None:
    def push(version: str) -> Result:
        return lua("push", "skill", "--name", "orders", "--set-version", version, cwd=root)

    assert push("1.0.0-rc.1").exit_code == 0
    assert push("1.0.0+build.7").exit_code == 0
    assert push("1.0.0").stdout == "orders: nothing to push, 1.0.0+build.7 has this content\n"
    assert versions() == ["1.0.0-rc.1", "1.0.0+build.7"]


def test_a_tool_is_never_pushed_alone(lua: Lua, root: Path) -> None:
    result = lua("push", "skill", "--name", "refund_order", cwd=root)
    assert result.exit_code == 3
    assert result.stderr.endswith(
        '✖ not_found: "refund_order" is a tool of the skill refunds: tools are never pushed alone\n'
        "  hint: use --name refunds\n"
    )


def test_an_unknown_skill_is_not_found_with_the_nearest(lua: Lua, root: Path) -> None:
    near = lua("push", "skill", "--name", "order", cwd=root)
    assert near.exit_code == 3
    assert near.stderr.endswith('✖ not_found: skill "order" not found\n  hint: did you mean orders?\n')
    far = lua("push", "skill", "--name", "weather", cwd=root)
    assert far.exit_code == 3
    assert "there are: orders, refunds" in far.stderr


@pytest.mark.parametrize("args", [("push",), ("push", "skill"), ("push", "--ci"), ("push", "--ci", "skill")])
def test_nothing_named_is_a_usage_error_that_names_the_flag(lua: Lua, root: Path, args: tuple[str, ...]) -> None:
    result = lua(*args, cwd=root)
    assert result.exit_code == 2
    assert result.stderr.endswith("✖ usage: missing --name\n  hint: lua push skill --name orders\n")


def test_nothing_named_is_asked_for_at_a_terminal(lua: Lua, root: Path, at_terminal: None) -> None:
    result = lua("push", cwd=root, stdin=b"9\n2\n")
    assert result.exit_code == 0, result.stderr
    assert "  1  orders\n  2  refunds\n" in result.stderr
    assert "a name, or a number from 1 to 2" in result.stderr
    assert (versions("orders"), versions("refunds")) == ([], ["1.0.0"])


def test_a_name_alone_means_a_skill(lua: Lua, root: Path) -> None:
    assert lua("push", "--name", "orders", cwd=root).exit_code == 0
    assert versions() == ["1.0.0"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("push", "tool", "--name", "get_order"), "cannot do that with 'tool'"),
        (("push", "all", "--name", "orders"), "`all` takes no --name"),
        (("push", "all", "--format", "yaml"), "unknown format 'yaml'"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(lua: Lua, root: Path, args: tuple[str, ...], said: str) -> None:
    result = lua(*args, cwd=root)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not registry_file().exists()


def test_auto_deploy_makes_it_live(lua: Lua, root: Path) -> None:
    result = lua("push", "skill", "--name", "orders", "--auto-deploy", cwd=root)
    assert result.exit_code == 0, result.stderr
    first, _, second = result.stdout.splitlines()
    assert first.startswith("orders 1.0.0  pushed")
    assert second == "orders 1.0.0  live (entry 1)"
    assert live() == "1.0.0"
    again = lua("push", "skill", "--name", "orders", "--auto-deploy", cwd=root)
    assert again.stdout == (
        "orders: nothing to push, 1.0.0 has this content\norders: nothing to deploy, 1.0.0 is live\n"
    )


def test_json_is_one_document_with_what_was_done(lua: Lua, root: Path) -> None:
    result = lua("push", "skill", "--name", "orders", "--auto-deploy", "--json", cwd=root)
    assert result.exit_code == 0, result.stderr
    body = document(result)
    assert {key: body[key] for key in ("version", "ok", "dryRun", "agent")} == {
        "version": 1,
        "ok": True,
        "dryRun": False,
        "agent": "acme",
    }
    assert body["registry"] == {"kind": "embedded", "where": str(registry_file())}
    push, deploy = body["steps"]
    assert (push["action"], push["skill"], push["version"], push["previous"]) == ("pushed", "orders", "1.0.0", None)
    assert push["changes"] == {
        "added": ["get_order"],
        "removed": [],
        "renamed": [],
        "changed": [],
        "skill": [],
        "contextTokens": None,
        "newEnv": [],
        "wording": [],
        "breaking": False,
    }
    assert re.fullmatch("sha256:[0-9a-f]{64}", push["digest"])
    assert push["size"] == (root / ".lua" / "artifacts" / "orders.luapkg").stat().st_size
    assert (deploy["action"], deploy["version"], deploy["previous"], deploy["entry"]) == ("deployed", "1.0.0", None, 1)


def test_a_plan_as_json(lua: Lua, root: Path) -> None:
    result = lua("push", "all", "--dry-run", "--format", "json", cwd=root)
    assert result.exit_code == 0, result.stderr
    body = document(result)
    assert (body["ok"], body["dryRun"]) == (True, True)
    assert [(step["action"], step["skill"], step["why"]) for step in body["steps"]] == [
        ("push", "orders", "new skill"),
        ("push", "refunds", "new skill"),
    ]
    assert not registry_file().exists()


def test_an_error_as_json(lua: Lua, root: Path) -> None:
    result = lua("push", "skill", "--name", "order", "--json", cwd=root)
    assert result.exit_code == 3
    assert document(result) == {
        "ok": False,
        "error": {"type": "not-found", "message": 'skill "order" not found', "hint": "did you mean orders?"},
    }
    assert result.stderr == ""


def test_a_project_that_does_not_compile_is_not_pushed(lua: Lua, root: Path) -> None:
    (root / "agent.py").write_text(AGENT + "class Broken(:\n", encoding="utf-8")
    result = lua("push", "all", cwd=root)
    assert result.exit_code == 1
    assert "the project does not compile" in result.stderr
    assert not registry_file().exists()


def test_variables_that_are_not_set_are_named(lua: Lua, root: Path) -> None:
    source = AGENT.replace('return {"number": input["number"]}', 'return {"url": os.environ["ORDERS_URL"]}')
    (root / "agent.py").write_text(source.replace("from lua_cli", "import os\n\nfrom lua_cli", 1), encoding="utf-8")
    args = ("push", "skill", "--name", "orders", "--dry-run")
    assert "  ! ORDERS_URL is needed and not set here (read at agent.py:14)\n" in lua(*args, cwd=root).stdout
    assert "ORDERS_URL" not in lua(*args, cwd=root, env={"ORDERS_URL": "x"}).stdout
    (root / ".env").write_text("ORDERS_URL=http://localhost\n", encoding="utf-8")
    assert "ORDERS_URL" not in lua(*args, cwd=root).stdout


def test_the_state_file_says_what_was_pushed(lua: Lua, root: Path) -> None:
    body = document(lua("push", "skill", "--name", "orders", "--json", cwd=root))
    state = tomllib.loads((root / "lua.skill.toml").read_text("utf-8"))
    push = body["steps"][0]
    assert state == {
        "registry": "embedded",
        "registries": {
            "embedded": {
                "agent": "acme",
                "skills": {"orders": {"id": push["id"], "version": "1.0.0", "digest": push["digest"]}},
            }
        },
    }
    before = (root / "lua.skill.toml").stat().st_mtime_ns
    lua("push", "skill", "--name", "orders", cwd=root)
    assert (root / "lua.skill.toml").stat().st_mtime_ns == before


def test_a_damaged_state_file_is_made_anew_from_the_registry(lua: Lua, root: Path) -> None:
    lua("push", "all", cwd=root)
    path = root / "lua.skill.toml"
    good = path.read_text("utf-8")
    path.write_text("<<<<<<< HEAD\n" + good, encoding="utf-8")
    result = lua("push", "skill", "--name", "orders", cwd=root)
    assert result.exit_code == 0
    assert "lua.skill.toml was damaged (not valid TOML" in result.stderr
    assert path.read_text("utf-8") == good, "the other skill's entry came back, too"


def test_a_state_file_that_cannot_be_written_does_not_undo_a_push(lua: Lua, root: Path) -> None:
    (root / "lua.skill.toml").mkdir()
    result = lua("push", "skill", "--name", "orders", cwd=root)
    assert result.exit_code == 0
    assert "lua.skill.toml was not written" in result.stderr
    assert versions() == ["1.0.0"]


def test_a_damaged_registry_is_one_line(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", cwd=root)
    registry_file().write_bytes(b"not a database" * 1000)
    result = lua("push", "skill", "--name", "orders", cwd=root)
    assert result.exit_code == 1
    assert f"✖ error: the registry {registry_file()} is damaged" in result.stderr
    assert "Traceback" not in result.stderr


def test_two_pushes_of_other_content_at_once(lua_process: Lua, root: Path, tmp_path: Path) -> None:
    """Two checkouts of one agent: whoever comes second gets the next number, or is told who was first."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "pyproject.toml").write_text("[tool.lua]\n", encoding="utf-8")
    (other / "agent.py").write_text(edited("elsewhere"), encoding="utf-8")
    results: list[Result] = []
    pushes = [
        threading.Thread(
            target=lambda cwd=cwd: results.append(lua_process("push", "--ci", "skill", "--name", "orders", cwd=cwd))
        )
        for cwd in (root, other)
    ]
    for push in pushes:
        push.start()
    for push in pushes:
        push.join()
    codes = sorted(result.exit_code for result in results)
    assert codes in ([0, 0], [0, 1]), results
    assert versions() == (["1.0.0", "1.0.1"] if codes == [0, 0] else ["1.0.0"])


def test_a_push_that_lost_against_another_is_planned_again(
    lua: Lua, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else takes 1.0.1 between the plan and the push: this one becomes 1.0.2."""
    assert lua("push", "skill", "--name", "orders", cwd=root).exit_code == 0
    put, others = EmbeddedRegistry.put, [submission("1.0.1", "theirs", unchecked=True)]

    def overtaken(self: EmbeddedRegistry, agent: str, sent: Any) -> Any:
        if others:
            put(self, agent, others.pop())
        return put(self, agent, sent)

    monkeypatch.setattr(EmbeddedRegistry, "put", overtaken)
    (root / "agent.py").write_text(edited("mine"), encoding="utf-8")
    result = lua("push", "skill", "--name", "orders", cwd=root)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("orders 1.0.1 -> 1.0.2  pushed")
    assert "orders 1.0.1 exists already with other content" in result.stderr and "; planned again\n" in result.stderr
    others.append(submission("1.0.3", "theirs", unchecked=True))
    (root / "agent.py").write_text(edited("again"), encoding="utf-8")
    named = lua("push", "skill", "--name", "orders", "--set-version", "1.0.3", cwd=root)
    assert named.exit_code == 1 and "planned again" not in named.stderr, "a number that was asked for is not changed"


def test_a_registry_that_was_emptied_or_is_anothers_is_said(
    lua: Lua, root: Path, write_project: Callable[[Mapping[str, str]], Path]
) -> None:
    assert lua("push", "skill", "--name", "orders", cwd=root).exit_code == 0
    clone = write_project({"agent.py": edited("clone")})
    strange = lua("push", "skill", "--name", "orders", "--dry-run", cwd=clone)
    assert "this project has not pushed to agent acme here before, and there is orders 1.0.0" in strange.stderr
    assert "before, and" not in lua("push", "skill", "--name", "orders", "--dry-run", cwd=root).stderr
    registry_file().write_bytes(b"")
    emptied = lua("push", "skill", "--name", "orders", "--dry-run", cwd=root)
    assert "would be pushed (new skill; lua.skill.toml knows 1.0.0, which is not in this registry)" in emptied.stdout
