"""Push, deploy and lists against a registry over HTTP: the same commands, the same words, another place."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lua_cli.commands.session import Session
from tests.commands.project_text import FILES, edited
from tests.conftest import Result
from tests.registry.api_server import KEY, ApiServer, Fault

Lua = Callable[..., Result]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ApiServer]:
    running = ApiServer(tmp_path)
    yield running
    running.close()


@pytest.fixture
def remote(server: ApiServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The address, in the environment with a key for it."""
    monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("LUA_API_URL", server.address)
    monkeypatch.setenv("LUA_API_KEY", KEY)
    return server.address


@pytest.fixture
def root(write_project: Callable[[Mapping[str, str]], Path], remote: str) -> Path:
    return write_project(FILES)


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_way_of_a_skill_to_its_users(lua: Lua, root: Path, remote: str) -> None:
    first = lua("push", "skill", "--name", "orders", cwd=root)
    assert first.exit_code == 0, first.stderr
    assert first.stdout.startswith("orders 1.0.0  pushed  sha256:")
    assert first.stderr.startswith(f"agent acme on {remote}\n")
    assert (
        lua("push", "skill", "--name", "orders", cwd=root).stdout == "orders: nothing to push, 1.0.0 has this content\n"
    )
    assert lua("deploy", "skill", "--name", "orders", "--set-version", "latest", cwd=root).stdout == (
        "orders 1.0.0  live (entry 1)\n  + get_order\n"
    )
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    second = lua("push", "skill", "--name", "orders", "--auto-deploy", cwd=root)
    assert second.stdout.splitlines()[0].startswith("orders 1.0.0 -> 1.0.1  pushed")
    assert "  ~ get_order (description)" in second.stdout
    assert lua("rollback", "skill", "--name", "orders", cwd=root).stdout.startswith(
        "orders 1.0.1 -> 1.0.0  live (entry 3)"
    )
    listed = document(lua("skills", "--json", cwd=root))
    assert listed["registry"] == {"kind": "http", "where": remote}
    (orders,) = [skill for skill in listed["skills"] if skill["name"] == "orders"]
    assert (orders["live"], orders["latest"], orders["local"]["state"]) == ("1.0.0", "1.0.1", "same")
    versions = document(lua("skills", "versions", "orders", "--json", cwd=root))
    assert [v["version"] for v in versions["versions"]] == ["1.0.1", "1.0.0"]
    assert [e["version"] for e in versions["history"]] == ["1.0.0", "1.0.1", "1.0.0"]
    assert f"registry  http ({remote})" in lua("status", cwd=root).stdout


def test_nothing_of_it_touches_the_embedded_registry(lua: Lua, root: Path, tmp_path: Path, remote: str) -> None:
    data = tmp_path / "data"
    lua("push", "all", cwd=root, env={"LUA_DATA_DIR": str(data)})
    assert not data.exists()
    lua("push", "all", cwd=root, env={"LUA_DATA_DIR": str(data), "LUA_API_URL": "embedded"})
    assert (data / "registry.db").is_file()
    state = tomllib.loads((root / "lua.skill.toml").read_text("utf-8"))
    assert state["registry"] == "embedded"
    assert set(state["registries"]) == {"embedded", remote}


def test_the_words_are_those_of_the_embedded_registry(lua: Lua, root: Path) -> None:
    lua("push", "skill", "--name", "orders", cwd=root)
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    for args, code, said in (
        (("push", "skill", "--name", "orders", "--set-version", "1.0.0"), 1, "exists already with other content (pushed by mo"),
        (("push", "skill", "--name", "orders", "--set-version", "0.1.0"), 2, "orders 0.1.0 is lower than 1.0.0"),
        (("push", "skill", "--name", "get_order"), 3, "tools are never pushed alone"),
        (("deploy", "skill", "--name", "orders", "--set-version", "9.0.0"), 3, "skill 'orders' has no version 9.0.0"),
        (("rollback", "skill", "--name", "orders"), 3, "no version was ever live"),
    ):  # fmt: skip
        result = lua(*args, cwd=root)
        assert (result.exit_code, result.stdout) == (code, "")
        assert said in result.stderr


@pytest.mark.parametrize(
    ("status", "code", "kind"), [(401, 9, "auth"), (403, 10, "forbidden"), (500, 11, "unavailable"), (507, 1, "error")]
)
def test_exit_codes_tell_what_went_wrong(
    lua: Lua, root: Path, server: ApiServer, status: int, code: int, kind: str
) -> None:
    body = b'{"success": false, "error": {"message": "because"}}'
    server.faults.append(Fault("GET /developer/skills", status=status, body=body, times=9))
    result = lua("push", "all", cwd=root)
    assert result.exit_code == code
    assert f"✖ {kind}: " in result.stderr
    assert KEY not in result.stderr


def test_a_failure_in_the_middle_says_what_was_done(lua: Lua, root: Path, server: ApiServer) -> None:
    body = b'{"success": false, "error": {"message": "not today"}}'
    server.faults.append(Fault("POST .*/id-refunds/version", status=422, body=body))
    result = lua("push", "all", "--json", cwd=root)
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    assert (said["ok"], [step["skill"] for step in said["steps"]]) == (False, ["orders"])
    assert "not today" in said["error"]["message"]
    again = lua("push", "all", cwd=root)
    assert again.exit_code == 0
    assert again.stdout.startswith("orders: nothing to push, 1.0.0 has this content\nrefunds 1.0.0  pushed")


def test_a_server_that_goes_away_after_the_push_does_not_undo_it(lua: Lua, root: Path, server: ApiServer) -> None:
    """lua.skill.toml is made from the registry's answers at the first push; without them it waits for the next one."""
    looks = "GET /developer/skills/acme$"
    lua("push", "skill", "--name", "orders", "--agent", "acme", "--dry-run", cwd=root)
    before = len(server.calls(looks))
    lua("push", "skill", "--name", "refunds", "--agent", "acme", cwd=root)
    during = len(server.calls(looks)) - before
    (root / "lua.skill.toml").unlink()
    server.let_pass(looks, during - 1)
    server.faults.append(Fault(looks, status=500, body=b"{}", times=9))
    result = lua("push", "skill", "--name", "orders", "--agent", "acme", cwd=root)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("orders 1.0.0  pushed")
    assert "lua.skill.toml was not written" in result.stderr and "the push is complete all the same" in result.stderr


def test_no_key(lua: Lua, root: Path, monkeypatch: pytest.MonkeyPatch, remote: str) -> None:
    monkeypatch.delenv("LUA_API_KEY")
    result = lua("push", "all", cwd=root)
    assert result.exit_code == 9
    assert (
        f"✖ auth: no key for {remote}\n  hint: `lua auth configure --url {remote}`, or set LUA_API_KEY\n"
        in result.stderr
    )
    (root / ".env").write_text(f"LUA_API_KEY={KEY}\n", encoding="utf-8")
    assert lua("push", "all", cwd=root).exit_code == 0


def test_the_agent_is_the_keys_only_one_or_named_once(lua: Lua, root: Path, server: ApiServer) -> None:
    server.keys[KEY] = ["acme", "agent_7"]
    unclear = lua("push", "skill", "--name", "orders", cwd=root)
    assert unclear.exit_code == 2
    assert "the key is for several: acme, agent_7\n  hint: name one: --agent acme" in unclear.stderr
    named = lua("push", "skill", "--name", "orders", "--agent", "agent_7", "--json", cwd=root)
    assert document(named)["agent"] == "agent_7"
    assert document(lua("skills", "--json", cwd=root))["agent"] == "agent_7", "lua.skill.toml remembers it"
    other = lua("skills", "--agent", "theirs", cwd=root)
    assert other.exit_code == 10
    server.keys[KEY] = []
    (root / "lua.skill.toml").unlink()
    nobody = lua("status", cwd=root)
    assert nobody.exit_code == 2 and "is for no agent" in nobody.stderr


def test_an_agent_of_another_name_is_said_until_somebody_chose_it(lua: Lua, root: Path, server: ApiServer) -> None:
    server.keys[KEY] = ["agent_7"]
    warning = "! this project's agent is called acme, and this is agent agent_7: --agent agent_7 says that it is meant"
    planned = lua("push", "skill", "--name", "orders", "--dry-run", cwd=root)
    assert warning in planned.stderr.splitlines()
    data = document(lua("push", "skill", "--name", "orders", "--dry-run", "--json", cwd=root))
    assert data["otherAgent"] == {"project": "acme", "registry": "agent_7"}
    for _ in range(2):  # lua.skill.toml remembers the agent, which nobody chose
        assert (
            document(lua("push", "skill", "--name", "orders", "--json", cwd=root))["otherAgent"] == data["otherAgent"]
        )
    assert warning in lua("deploy", "all", "--dry-run", cwd=root).stderr.splitlines()
    (root / "agent.py").write_text(edited("two"), encoding="utf-8")
    assert document(lua("push", "skill", "--name", "orders", "--agent", "agent_7", "--json", cwd=root))["ok"]
    again = document(lua("push", "skill", "--name", "orders", "--json", cwd=root))
    assert again["otherAgent"] is None, "it was chosen"


@pytest.mark.parametrize(("answer", "exit_code"), [(b"n\n", 130), (b"y\n", 0)])
def test_a_person_is_asked_about_an_agent_of_another_name(
    lua: Lua, root: Path, server: ApiServer, monkeypatch: pytest.MonkeyPatch, answer: bytes, exit_code: int
) -> None:
    monkeypatch.setattr(Session, "interactive", property(lambda self: not self.ci))
    server.keys[KEY] = ["agent_7"]
    result = lua("push", "skill", "--name", "orders", cwd=root, stdin=answer)
    assert result.exit_code == exit_code, result.stderr
    assert "this project's agent is called acme, and this is agent agent_7. Go on?" in result.stderr
    assert bool(document(lua("skills", "--agent", "agent_7", "--json", cwd=root))["skills"][0]["versions"]) == (
        not exit_code
    )


def test_a_key_for_every_agent_changes_only_the_projects_own(lua: Lua, root: Path, server: ApiServer) -> None:
    server.keys[KEY], server.every_agent = ["theirs"], True
    refused = lua("push", "skill", "--name", "orders", cwd=root)
    assert refused.exit_code == 2
    assert "the key is for every agent\n  hint: name one: --agent acme\n" in refused.stderr
    assert document(lua("skills", "--json", cwd=root))["agent"] == "theirs", "reading takes what there is"
    server.keys[KEY] = ["theirs", "acme"]
    assert document(lua("push", "skill", "--name", "orders", "--json", cwd=root))["agent"] == "acme"


def test_an_agent_that_the_registry_gave_an_id_keeps_its_name(lua: Lua, root: Path, server: ApiServer) -> None:
    """The registry says that agent_7 is called `Acme` there: the same agent."""
    server.keys[KEY], server.names["agent_7"] = ["agent_7"], "Acme"
    planned = lua("push", "skill", "--name", "orders", "--dry-run", "--json", cwd=root)
    assert document(planned)["otherAgent"] is None


@pytest.mark.parametrize("address", ["not an address", "http://lua.example.com", "https://u:p@lua.example.com"])
def test_an_address_that_is_none_is_a_usage_error(lua: Lua, root: Path, address: str) -> None:
    result = lua("skills", cwd=root, env={"LUA_API_URL": address})
    assert result.exit_code == 2
    assert "✖ usage: LUA_API_URL " in result.stderr


def auth(lua: Lua, root: Path, *args: str, stdin: bytes = b"", **env: str) -> Result:
    return lua("auth", *args, cwd=root, stdin=stdin, env=env)


@pytest.fixture
def logged_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("LUA_API_URL")
    monkeypatch.delenv("LUA_API_KEY")
    return root


def test_logging_in_and_out(lua: Lua, logged_out: Path, server: ApiServer, tmp_path: Path) -> None:
    root = logged_out
    assert auth(lua, root, "whoami").stdout == "the embedded registry: no account, no key\n"
    done = auth(lua, root, "configure", "--url", server.address + "/", "--api-key-stdin", stdin=KEY.encode() + b"\n")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == f"key for {server.address} stored in {tmp_path / 'config' / 'credentials.toml'}\n"
    assert auth(lua, root, "whoami").stdout == (
        f"registry  {server.address}\nkey       ci\nagents    acme (Acme)\nmay       read, push, deploy\n"
    )
    assert document(auth(lua, root, "whoami", "--json"))["scopes"] == ["read", "push", "deploy"]
    assert lua("push", "skill", "--name", "orders", cwd=root).stderr.startswith(f"agent acme on {server.address}")
    assert auth(lua, root, "logout").stdout == f"the key for {server.address} was forgotten\n"
    assert auth(lua, root, "whoami").stdout == "the embedded registry: no account, no key\n"
    again = auth(lua, root, "logout", "--url", server.address)
    assert (again.exit_code, again.stdout) == (0, f"no key for {server.address} is stored\n")
    assert all(KEY not in result.stdout + result.stderr for result in (done, again))


def test_a_key_that_is_not_accepted_is_not_stored(
    lua: Lua, logged_out: Path, server: ApiServer, tmp_path: Path
) -> None:
    result = auth(lua, logged_out, "configure", "--url", server.address, "--api-key-stdin", stdin=b"lua_wrong\n")
    assert result.exit_code == 9
    assert "does not accept the key from what was typed" in result.stderr and "lua_wrong" not in result.stderr
    assert not (tmp_path / "config").exists()


def test_a_server_that_is_away_does_not_prevent_logging_in(lua: Lua, logged_out: Path, server: ApiServer) -> None:
    server.faults.append(Fault("/developer/me", status=500, body=b"{}", times=9))
    result = auth(lua, logged_out, "configure", "--url", server.address, "--api-key-stdin", stdin=KEY.encode())
    assert result.exit_code == 0
    assert "the key could not be tried" in result.stderr


@pytest.mark.parametrize(
    ("stdin", "said"), [(b"", "the key from what was typed is not one"), (b"two words\n", "is not one")]
)
def test_what_cannot_be_a_key(lua: Lua, logged_out: Path, server: ApiServer, stdin: bytes, said: str) -> None:
    result = auth(lua, logged_out, "configure", "--url", server.address, "--api-key-stdin", stdin=stdin)
    assert result.exit_code == 9
    assert said in result.stderr
    assert server.log == []


def test_a_key_is_not_asked_for_where_nobody_is(lua: Lua, logged_out: Path) -> None:
    result = auth(lua, logged_out, "configure", "--ci")
    assert result.exit_code == 2
    hint = "lua auth configure --url https://api.heylua.ai --api-key-stdin < key.txt"
    assert f"missing --api-key-stdin\n  hint: {hint}" in result.stderr
    assert lua("auth", "configure", "--api-key", "x", cwd=logged_out).exit_code == 2, "a key is never an argument"
