"""`lua env`: the variables of the project and of its agent at a server; the real main against the real server."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lua_cli.commands.session import Session
from lua_cli.project.envfile import read_env_file
from tests.commands.project_text import FILES
from tests.conftest import Result
from tests.server.serving import Server

Lua = Callable[..., Result]
VALUE = "s3cr3t-value"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("env")).start()
    yield server
    server.close()


@pytest.fixture
def root(
    write_project: Callable[[Mapping[str, str]], Path],
    running: Server,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Path:
    """A project whose key is for an agent of the test's own."""
    agent = f"agent-{abs(hash(request.node.nodeid))}"
    monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("LUA_API_URL", running.address)
    monkeypatch.setenv("LUA_API_KEY", running.key("ci", agent))
    return write_project({name: text.replace('"acme"', f'"{agent}"') for name, text in FILES.items()})


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "interactive", property(lambda self: not self.ci))


def production(lua: Lua, root: Path) -> dict[str, str]:
    result = lua("env", "production", "--list", "--show-values", "--json", cwd=root)
    assert result.exit_code == 0, result.stderr
    return {variable["name"]: variable["value"] for variable in json.loads(result.stdout)["variables"]}


def test_setting_listing_and_removing_at_the_server(lua: Lua, root: Path, running: Server) -> None:
    first = lua("env", "production", "-k", "CRM_TOKEN", "-v", VALUE, cwd=root)
    assert (first.exit_code, first.stdout) == (0, "+ CRM_TOKEN  added\n"), first.stderr
    assert first.stderr.startswith("production: agent agent-") and running.address in first.stderr
    piped = lua("env", "production", "--key", "API_URL", "--value-stdin", cwd=root, stdin=b"https://x.example\n")
    assert piped.exit_code == 0, piped.stderr
    listed = lua("env", "production", cwd=root)
    assert (listed.exit_code, listed.stdout) == (0, "API_URL\nCRM_TOKEN\n")
    assert production(lua, root) == {"API_URL": "https://x.example", "CRM_TOKEN": VALUE}
    again = lua("env", "production", "-k", "CRM_TOKEN", "-v", VALUE, cwd=root)
    assert (again.exit_code, again.stdout) == (0, "= CRM_TOKEN  unchanged\n")
    gone = lua("env", "production", "-k", "CRM_TOKEN", "-d", "--force", cwd=root)
    assert (gone.exit_code, gone.stdout) == (0, "- CRM_TOKEN  removed\n"), gone.stderr
    assert production(lua, root) == {"API_URL": "https://x.example"}
    shown = [first, piped, listed, again, gone]
    assert not any(VALUE in result.stdout + result.stderr for result in shown)


def test_a_value_that_others_run_with_is_not_lost_unasked(lua: Lua, root: Path) -> None:
    lua("env", "production", "-k", "API_URL", "-v", "https://x.example", cwd=root)
    refused = lua("env", "production", "-k", "API_URL", "-v", "http://localhost:8000", cwd=root)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "API_URL: agent agent-" in refused.stderr and "add --force if that is meant" in refused.stderr
    planned = lua("env", "production", "-k", "API_URL", "-v", "http://localhost:8000", "--dry-run", cwd=root)
    assert planned.stdout == "~ API_URL  changed\n  ! API_URL is an address that only this machine has\n"
    assert production(lua, root) == {"API_URL": "https://x.example"}
    forced = lua("env", "production", "-k", "API_URL", "-v", "https://y.example", "--force", "--json", cwd=root)
    document = json.loads(forced.stdout)
    assert document["changes"] == [{"name": "API_URL", "action": "changed"}]
    assert (document["environment"], document["otherAgent"]) == ("production", None)
    assert production(lua, root) == {"API_URL": "https://y.example"}


@pytest.mark.parametrize(("answer", "exit_code", "kept"), [(b"n\n", 130, "one"), (b"y\n", 0, "two")])
def test_a_person_is_asked(lua: Lua, root: Path, at_terminal: None, answer: bytes, exit_code: int, kept: str) -> None:
    assert lua("env", "production", "-k", "A", "-v", "one", "--force", cwd=root).exit_code == 0
    result = lua("env", "production", "-k", "A", "-v", "two", cwd=root, stdin=answer)
    assert result.exit_code == exit_code, result.stderr
    assert "~ A  changed\n" in result.stderr and "one variable changes of agent agent-" in result.stderr
    assert production(lua, root) == {"A": kept}


def test_a_whole_file_goes_and_what_is_not_in_it_stays(lua: Lua, root: Path) -> None:
    lua("env", "production", "-k", "KEPT", "-v", "k", cwd=root)
    (root / "live.env").write_text("A=1\nexport B='two words'\n# C=3\n", encoding="utf-8")
    result = lua("env", "production", "--from", "live.env", cwd=root)
    assert (result.exit_code, result.stdout) == (0, "+ A  added\n+ B  added\n"), result.stderr
    assert production(lua, root) == {"A": "1", "B": "two words", "KEPT": "k"}


def test_what_somebody_changed_meanwhile_is_not_overwritten(lua: Lua, root: Path, running: Server) -> None:
    lua("env", "production", "-k", "A", "-v", "1", cwd=root)
    agent = json.loads(lua("env", "production", "--json", cwd=root).stdout)["agent"]
    with running.client() as registry:
        mine, theirs = registry.agent_variables(agent), registry.agent_variables(agent)
        seen = mine.read()
        theirs.replace({"A": "theirs"}, theirs.read())
        with pytest.raises(Exception, match="were changed meanwhile: nothing was written"):
            mine.replace({"A": "mine"}, seen)
        assert dict(mine.read().values) == {"A": "theirs"}


VALUES = [
    "plain",
    "",
    "two words",
    "quote ' and \"",
    "a#b",
    "back\\slash",
    "line\nline",
    "ünïcode ✓",
    " spaced ",
    "$HOME",
]


def test_the_projects_own_file(lua: Lua, root: Path) -> None:
    (root / ".env").write_text("# ours\nOLD=1\nOTHER=2\n", encoding="utf-8")
    for number, value in enumerate(VALUES):
        set_one = lua("env", "sandbox", "-k", f"V{number}", "-v", value, cwd=root)
        assert (set_one.exit_code, set_one.stdout) == (0, f"+ V{number}  added\n"), set_one.stderr
    assert lua("env", "staging", "-k", "OLD", "-v", "new", cwd=root).stdout == "~ OLD  changed\n"
    assert lua("env", "sandbox", "-k", "OTHER", "-d", cwd=root).stdout == "- OTHER  removed\n"
    assert read_env_file(root / ".env") == {"OLD": "new"} | {f"V{n}": value for n, value in enumerate(VALUES)}
    assert (root / ".env").read_text("utf-8").startswith("# ours\nOLD=")
    lost = lua("env", "sandbox", "-k", "V1", "-v", "${HOME}", cwd=root)
    assert lost.exit_code == 2 and ".env cannot hold the value of V1" in lost.stderr


def test_of_a_file_nothing_is_written_when_one_value_cannot_be(lua: Lua, root: Path) -> None:
    (root / "more.env").write_text('A=ok\nB="a\\rb"\nC=3\n', encoding="utf-8")
    result = lua("env", "sandbox", "--from", "more.env", cwd=root)
    assert result.exit_code == 2 and ".env cannot hold the value of B" in result.stderr
    assert not (root / ".env").exists()
    (root / "bare.env").write_text("A=1\nBARE\n", encoding="utf-8")
    bare = lua("env", "production", "--from", "bare.env", cwd=root)
    assert bare.exit_code == 2 and "bare.env: BARE has no value" in bare.stderr


def test_two_shells_at_once_lose_nothing(lua_process: Lua, root: Path) -> None:
    (root / ".env").write_text("KEPT=1\n", encoding="utf-8")
    names = [f"V{number}" for number in range(6)]
    with ThreadPoolExecutor(len(names)) as pool:
        results = list(pool.map(lambda name: lua_process("env", "sandbox", "-k", name, "-v", name, cwd=root), names))
    assert [result.exit_code for result in results] == [0] * len(names), results
    assert read_env_file(root / ".env") == {"KEPT": "1"} | {name: name for name in names}


def test_nothing_of_this_machine_comes_into_production(lua: Lua, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTX", "laptop.local")
    (root / "live.env").write_text("URL=http://${HOSTX}/\nWORD=pa${ss}w\n", encoding="utf-8")
    result = lua("env", "production", "--from", "live.env", cwd=root)
    assert result.exit_code == 0, result.stderr
    assert "  ! URL has `${` in it, and is sent as it is written\n" in result.stdout
    assert production(lua, root) == {"URL": "http://${HOSTX}/", "WORD": "pa${ss}w"}


def test_a_value_that_is_no_text_is_refused(lua: Lua, root: Path) -> None:
    result = lua("env", "production", "-k", "A", "-v", "\udc80secret", cwd=root)
    assert result.exit_code == 2 and "the value of A is not UTF-8" in result.stderr
    assert "secret" not in result.stderr


def test_a_new_file_is_the_users_alone(lua: Lua, root: Path) -> None:
    old = os.umask(0)
    try:
        assert lua("env", "sandbox", "-k", "A", "-v", "1", cwd=root).exit_code == 0
    finally:
        os.umask(old)
    assert stat.S_IMODE((root / ".env").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("args", "exit_code", "said"),
    [
        ((), 2, "missing environment: sandbox or production"),
        (("live",), 2, "there is no environment 'live'"),
        (("production", "-v", "x"), 2, "which variable? missing -k"),
        (("production", "-k", "A", "-v", "x", "-d"), 2, "only one of -v, --value-stdin and -d"),
        (("production", "-k", "A", "--list"), 2, "--list changes nothing"),
        (("production", "-k", "A"), 2, "missing value of A\n  hint: lua env production -k A --value-stdin"),
        (("production", "-k", "A B", "-v", "x"), 2, "'A B' cannot be the name of a variable"),
        (("production", "-k", "A", "-d"), 3, "there is no variable A in agent agent-"),
        (("sandbox", "-k", "A", "-d"), 3, "there is no variable A in .env\n  hint: there are: none"),
        (("sandbox", "--from", "nope.env"), 2, "cannot read nope.env"),
        (("sandbox", "--from", "a.env", "-k", "A"), 2, "--from sets all variables of a file"),
    ],
)
def test_what_is_refused(lua: Lua, root: Path, args: tuple[str, ...], exit_code: int, said: str) -> None:
    result = lua("env", *args, "--ci", cwd=root)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert said in result.stderr


def test_a_key_without_that_scope_and_the_embedded_registry(
    lua: Lua, root: Path, running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUA_API_KEY", running.key("reader", "acme", scopes=["read"]))
    assert lua("env", "production", cwd=root).exit_code == 10
    monkeypatch.setenv("LUA_API_URL", "embedded")
    embedded = lua("env", "production", cwd=root)
    assert embedded.exit_code == 2 and "the embedded registry holds no variables" in embedded.stderr


def test_a_push_changes_no_variable(lua: Lua, root: Path) -> None:
    lua("env", "production", "-k", "API_URL", "-v", "https://x.example", cwd=root)
    (root / ".env").write_text("API_URL=http://localhost\n", encoding="utf-8")
    pushed = lua("push", "skill", "--name", "orders", "--auto-deploy", "--force", cwd=root)
    assert pushed.exit_code == 0, pushed.stderr
    assert production(lua, root) == {"API_URL": "https://x.example"}


def test_what_a_person_said_is_no_secret_passes_the_server(lua: Lua, root: Path) -> None:
    key = "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    text = (root / "agent.py").read_text("utf-8")
    (root / "agent.py").write_text(f'KEY = "{key}"\n{text}', encoding="utf-8")
    refused = lua("push", "skill", "--name", "orders", "--ci", cwd=root)
    fingerprint = refused.stderr.partition("(fingerprint ")[2].partition(")")[0]
    assert refused.exit_code == 1 and fingerprint
    pushed = lua("push", "skill", "--name", "orders", "--ci", "--allow-secret", fingerprint, cwd=root)
    assert pushed.exit_code == 0, pushed.stderr
