"""What `lua push` says at once of an unchanged project is what it says on the long way, whatever became of the project,
the surroundings and the registry in between."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lua_cli.commands import at_once, pushing_ahead, pushing_kept
from lua_cli.pipeline import keeping
from lua_cli.pipeline.at_once import FOLDER, place_of
from lua_cli.registry.embedded import EmbeddedRegistry
from tests.commands.project_text import AGENT
from tests.conftest import Result
from tests.registry.api_server import KEY, ApiServer
from tests.registry.sample import submission

Lua = Callable[..., Result]
SOURCE = AGENT.replace("import LuaAgent,", "import env, LuaAgent,").replace(
    '{"refunded": True}', '{"refunded": env("SHOP_KEY")}'
)
ALL, ORDERS = ("push", "all"), ("push", "skill", "--name", "orders")


@dataclass(frozen=True)
class World:
    """A project and the folders of its user: all that a push can reach. `said`: which command lines were answered at
    once, in order."""

    shop: Path
    user: Path
    lua: Lua
    said: list[bool]

    @property
    def database(self) -> Path:
        return self.user / "data" / "registry.db"

    def push(self, *words: str, **more: Any) -> Result:
        return self.lua(*words, cwd=self.shop, **more)

    def kept(self, *words: str) -> Result:
        """A push on the long way, whose answer is kept."""
        self.forget()
        result = self.push(*words)
        assert len(self.answers()) == 1
        self.said.clear()
        return result

    def long_way(self, *words: str, **more: Any) -> Result:
        """The same without what was kept of earlier pushes."""
        self.forget()
        return self.push(*words, **more)

    def answers(self) -> list[Path]:
        return list(self.shop.joinpath(*FOLDER).glob("push-*.txt"))

    def forget(self) -> None:
        for path in self.answers():
            path.unlink()

    def files(self) -> list[bytes]:
        """What a push may write, but for its caches."""
        return [
            path.read_bytes() for path in (self.shop / "lua.skill.toml", self.shop / ".lua/state.lock", self.database)
        ]

    def rows(self) -> list[tuple[object, ...]]:
        """What is in the registry, but for numbers and times that are drawn."""
        db = sqlite3.connect(self.database)
        found = db.execute(
            "SELECT agent, name, version, digest, yanked FROM skills JOIN versions ON skill = id ORDER BY 1, 2, 3"
        ).fetchall()
        db.close()
        return found


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was pushed, and its user's folders, to be copied."""
    folder = tmp_path_factory.mktemp("pushed")
    (folder / "shop").mkdir()
    (folder / "shop/pyproject.toml").write_text("[tool.lua]\n", encoding="utf-8")
    (folder / "shop/agent.py").write_text(SOURCE, encoding="utf-8")
    user = {"HOME": f"{folder}/user", "LUA_DATA_DIR": f"{folder}/user/data", "LUA_CONFIG_DIR": f"{folder}/user/config"}
    subprocess.run(
        [sys.executable, "-m", "lua_cli", "push", "all"],
        cwd=folder / "shop", env={**os.environ, **user}, stdin=subprocess.DEVNULL, timeout=120, check=True,
    )  # fmt: skip
    return folder


@pytest.fixture
def world(tmp_path: Path, lua: Lua, pushed: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A project that was pushed. No file counts as too young for an answer to be kept."""
    monkeypatch.setattr(keeping, "RACY_NS", -(10**13))
    for name in ("shop", "user"):
        shutil.copytree(pushed / name, tmp_path / name, symlinks=True)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("LUA_DATA_DIR", str(tmp_path / "user/data"))
    monkeypatch.setenv("LUA_CONFIG_DIR", str(tmp_path / "user/config"))
    monkeypatch.delenv("SHOP_KEY", raising=False)
    said: list[bool] = []
    real = at_once.answer_at_once

    def answer_at_once(argv: list[str]) -> int | None:
        code = real(argv)
        said.append(code is not None)
        return code

    monkeypatch.setattr(at_once, "answer_at_once", answer_at_once)
    return World(tmp_path / "shop", tmp_path / "user", lua, said)


FORMS = (
    ALL, (*ALL, "--ci"), ("--ci", *ALL), (*ALL, "--json"), (*ALL, "--format=json", "--ci"), (*ALL, "--format", "text"),
    ORDERS, ("push", "skill", "--name=orders"), (*ORDERS, "--json"), ("push", "skill", "--format", "json", "--name=orders"),
)  # fmt: skip


def test_an_unchanged_project_says_it_again(world: World) -> None:
    for words in FORMS:
        first, there = world.kept(*words), world.files()
        assert world.push(*words) == first, words
        assert world.said == [True], words
        assert world.files() == there, "nothing is sent, nothing is written"
        assert "1.0.0 has this content" in first.stdout
        assert first.stdout[0] == "{" or first.stderr == f"agent acme on the embedded registry ({world.database})\n"


def test_from_other_folders(world: World) -> None:
    first = world.kept(*ALL)
    assert world.lua(*ALL, cwd=world.shop / ".lua" / "cache") == first
    assert world.lua(*ALL, "--project", str(world.shop), cwd=world.user) == first
    assert world.said == [True, True]


OTHERS = (
    (*ALL, "--dry-run"), (*ALL, "--agent", "acme"), (*ALL, "--allow-secret", "0123456789ab"), (*ALL, "--set-version", "1.0.0"),
    (*ALL, "--name", "orders"), (*ALL, "--format", "xml"), (*ALL, "--json", "--format", "text"), (*ALL, "--format"),
    (*ALL, "--json", "--json"), ("push",), ("push", "skill"), ("push", "--name", "orders"), ("push", "skills"),
    ("push", "skill", "--name"), ("push", "skill", "--name="), ("push", "skill", "--name", "order"), (*ORDERS, "orders"),
    ("push", "skill", "--name", "get_order"), ("push", "skill", "--name", "../x"), ("push", "skill", "--name", "--json"),
    (*ORDERS, "--name", "refunds"), ("push", "--help"), (*ALL, "--", "x"), (*ALL, "--force"),
    (*ALL, "--auto-deploy"), (*ALL, "--agent", "other"), (*ALL, "--set-version", "2.0.0"), (*ALL, "--to", "nonsense"),
)  # fmt: skip


def test_other_command_lines_are_for_the_long_way(world: World) -> None:
    first = world.kept(*ALL)
    for words in OTHERS:
        world.push(*words)
    assert world.said == [False] * len(OTHERS)
    last = world.push(*ALL)
    assert last == world.long_way(*ALL) and last != first, "and leave no answer that is wrong"


def sql(*statements: str) -> Callable[[World], object]:
    """Another program's hand in the registry: what its triggers forbid included."""

    def change(world: World) -> None:
        db = sqlite3.connect(world.database, isolation_level=None)
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            db.execute(statement)
        db.close()

    return change


def in_registry(change: Callable[[EmbeddedRegistry], object]) -> Callable[[World], object]:
    """What another process does, by the registry's own calls."""

    def changed(world: World) -> None:
        with EmbeddedRegistry(world.database, author="other") as registry:
            change(registry)

    return changed


def yank_and_back(registry: EmbeddedRegistry) -> None:
    registry.yank("acme", "orders", "1.0.0")
    registry.yank("acme", "orders", "1.0.0", yanked=False)


def edit(path: str, more: str) -> Callable[[World], object]:
    def change(world: World) -> None:
        file = (world.shop / path) if not path.startswith("/") else world.user / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(more)

    return change


def replace(path: str, old: str, new: str) -> Callable[[World], object]:
    def change(world: World) -> None:
        text = (world.shop / path).read_text("utf-8")
        assert old in text
        (world.shop / path).write_text(text.replace(old, new), encoding="utf-8")

    return change


def credentials(text: str, mode: int = 0o600) -> Callable[[World], object]:
    def change(world: World) -> None:
        edit("/config/credentials.toml", text)(world)
        (world.user / "config/credentials.toml").chmod(mode)

    return change


def another_registry(world: World) -> None:
    """The file is replaced by one of another time, in which the numbers are others."""
    shutil.rmtree(world.database.parent)
    with EmbeddedRegistry(world.database) as registry:
        registry.put("acme", submission("3.0.0", skill="orders"))


def becomes_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


ELSEWHERE = 'registry = "http://127.0.0.1:1"\n[registries."http://127.0.0.1:1"]\nkeyring = true\n'
# One index gets the pages of another one: rows are there that it does not find.
INDEX = """UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master
    WHERE name = 'sqlite_autoindex_versions_2') WHERE name = 'sqlite_autoindex_versions_1'"""
CHANGES: dict[str, Callable[[World], object]] = {
    "the source": replace("agent.py", "Look up one order", "Look one order up"),
    "a body alone": replace("agent.py", '"number": input', '"no": input'),
    "a syntax error": edit("agent.py", "\nX = (\n"),
    "the name of the agent": replace("agent.py", 'name="acme"', 'name="acme2"'),
    "a skill less": replace("agent.py", "skills=[orders, refunds]", "skills=[refunds]"),
    "the settings": edit("pyproject.toml", 'ignore = ["lua/tool-name-style"]\n'),
    "an artifact is gone": lambda world: (world.shop / ".lua/artifacts/orders.luapkg").resolve().unlink(),
    "the build is gone": lambda world: (world.shop / ".lua/artifacts").unlink(),
    "all of .lua is gone": lambda world: shutil.rmtree(world.shop / ".lua"),
    "the lock file is gone": lambda world: (world.shop / ".lua/state.lock").unlink(),
    "the lock file is a folder": lambda world: becomes_folder(world.shop / ".lua/state.lock"),
    "a remark in the state": edit("lua.skill.toml", "# mine\n"),
    "no state": lambda world: (world.shop / "lua.skill.toml").unlink(),
    "a damaged state": edit("lua.skill.toml", "[[["),
    "a state that knows another version": replace("lua.skill.toml", '"1.0.0"', '"9.0.0"'),
    "a state of another agent": replace("lua.skill.toml", 'agent = "acme"', 'agent = "other"'),
    "a state whose last registry was another": replace("lua.skill.toml", 'registry = "embedded"', 'registry = "http://x"'),
    "a .env": edit(".env", "OTHER=1\n"),
    "a .env that is none": edit(".env", "!= '\n'"),
    "a .env that cannot be read": lambda world: (world.shop / ".env").write_bytes(b"A=\xff\n"),
    "another address": credentials(ELSEWHERE),
    "credentials for elsewhere": credentials('registry = ""\n'),
    "damaged credentials": credentials("[[["),
    "a file for the configuration folder": edit("/config", "x"),
    "credentials that others can read": credentials('registry = ""\n', 0o644),
    "no registry": lambda world: world.database.unlink(),
    "no folder of the registry": lambda world: shutil.rmtree(world.database.parent),
    "another registry": another_registry,
    "an empty file for a registry": lambda world: world.database.write_bytes(b""),
    "half a registry": lambda world: os.truncate(world.database, world.database.stat().st_size // 2),
    "no database": lambda world: world.database.write_bytes(b"no database" * 1000),
    "a folder for a registry": lambda world: becomes_folder(world.database),
    "the program of another database": sql("PRAGMA application_id = 5"),
    "a newer schema": sql("PRAGMA user_version = 99"),
    "an older schema": sql("PRAGMA user_version = 0"),
    "withdrawn": in_registry(lambda registry: registry.yank("acme", "orders", "1.0.0")),
    "pushed by another": in_registry(lambda registry: registry.put("acme", submission("1.0.1", base="1.0.0"))),
    "a lower one pushed by another": in_registry(lambda registry: registry.put("acme", submission("0.5.0", unchecked=True))),
    "deployed by another": in_registry(lambda registry: registry.deploy("acme", "orders", "1.0.0", seen=0, key="k")),
    "a row that is not what was written": sql("UPDATE versions SET author = 'somebody'"),
    "a seal that is not what was written": sql("UPDATE versions SET seal = 'x'"),
    "facts that are not what was written": sql("UPDATE versions SET facts = replace(facts, 'get_order', 'set_order')"),
    "facts that are no text": sql("UPDATE versions SET facts = CAST(x'ff00' AS TEXT)"),
    "no versions": sql("DELETE FROM versions"),
    "no skill": sql("PRAGMA foreign_keys = OFF", "DELETE FROM skills WHERE name = 'orders'"),
    "a skill of another agent": sql("UPDATE skills SET agent = 'acme2'"),
    "an index that lies": sql("PRAGMA writable_schema = ON", INDEX),
}  # fmt: skip


IN_JSON = ("a body alone", "a state that knows another version", "no registry", "withdrawn", "deployed by another")
CASES = [(change, ALL) for change in CHANGES] + [(change, (*ORDERS, "--json")) for change in IN_JSON]


@pytest.mark.parametrize(
    ("change", "words"), CASES, ids=lambda part: part[-1] if isinstance(part, tuple) else part.replace(" ", "-")
)
def test_a_change_is_answered_on_the_long_way(
    world: World, tmp_path: Path, change: str, words: tuple[str, ...]
) -> None:
    world.kept(*words)
    CHANGES[change](world)
    kept = tmp_path / "kept"
    for folder in (world.shop, world.user):
        shutil.copytree(folder, kept / folder.name, symlinks=True)
    seen = outcome(world, words)
    assert world.said == [False], f"{change}: not noticed"
    for folder in (world.shop, world.user):
        shutil.rmtree(folder)
        shutil.copytree(kept / folder.name, folder, symlinks=True)
    world.forget()
    assert outcome(world, words) == seen
    assert world.push(*words) == world.long_way(*words), "what was kept since is right, too"


def outcome(world: World, words: tuple[str, ...]) -> list[object]:
    """What came of a push, but for times and numbers that are drawn."""
    result = world.push(*words)
    drawn = r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:]+Z|lua-cli-crash-\w+"
    said = [result.exit_code, *(re.sub(drawn, "*", text) for text in (result.stdout, result.stderr))]
    whole = world.database.is_file() and not (
        "damaged" in str(said) or "newer" in str(said) or "not a reg" in str(said)
    )
    state = world.shop / "lua.skill.toml"
    return [
        *said,
        re.sub(drawn, "*", state.read_text("utf-8")) if state.exists() else "",
        world.rows() if whole else [],
    ]


def test_what_another_project_does_in_the_registry_changes_nothing(world: World) -> None:
    first = world.kept(*ALL)
    in_registry(lambda registry: registry.put("acme", submission(skill="parcels")))(world)
    in_registry(lambda registry: registry.put("others", submission(skill="orders")))(world)
    assert world.push(*ALL) == first
    in_registry(yank_and_back)(world)
    assert world.push(*ALL) == first
    assert world.said == [True, True]
    assert world.long_way(*ALL) == first


def test_what_is_only_in_the_log_of_the_registry_counts(world: World) -> None:
    """Another process has the registry open: what it committed is not in the file yet."""
    first = world.kept(*ALL)
    other = sqlite3.connect(world.database, isolation_level=None)
    try:
        content = world.database.read_bytes()
        other.execute("UPDATE versions SET yanked = 1")
        assert world.database.read_bytes() == content
        changed = world.push(*ALL)
        assert "orders 1.0.0 -> 1.0.1  pushed" in changed.stdout and changed != first
        assert world.said == [False]
    finally:
        other.close()


def test_a_registry_that_is_locked_is_waited_for_on_the_long_way(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "lua_cli.registry.embedded.EmbeddedRegistry.__init__.__kwdefaults__", {"author": "", "busy_seconds": 0.01}
    )
    world.kept(*ALL)
    other = sqlite3.connect(world.database, isolation_level=None)
    try:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        refused = world.push(*ALL)
        assert refused.exit_code == 11 and "locked by another process" in refused.stderr
        assert world.said == [False]
    finally:
        other.close()
    assert world.push(*ALL).exit_code == 0
    assert world.said == [False, True]


VARIABLES: dict[str, dict[str, str]] = {
    "another registry over HTTP": {"LUA_API_URL": "http://127.0.0.1:1", "LUA_API_KEY": "x y"},
    "an address that is none": {"LUA_API_URL": "nonsense"},
    "the embedded one by name": {"LUA_API_URL": "embedded"},
    "another data folder": {"LUA_DATA_DIR": "other"},
    "the usual data folder": {"LUA_DATA_DIR": ""},
    "another configuration folder": {"LUA_CONFIG_DIR": "/nonexistent"},
    "another home": {"HOME": "/nonexistent"},
}


@pytest.mark.parametrize("name", VARIABLES, ids=lambda name: name.replace(" ", "-"))
def test_variables_that_say_where_the_registry_is(world: World, name: str) -> None:
    world.kept(*ALL)
    changed = world.push(*ALL, env=VARIABLES[name])
    assert world.said == [False]
    again = world.push(*ALL, env=VARIABLES[name])
    assert world.long_way(*ALL, env=VARIABLES[name]) == again
    assert again.exit_code == changed.exit_code


def test_a_folder_whose_name_would_mean_something_in_an_address(world: World) -> None:
    env = {"LUA_DATA_DIR": str(world.user / "a b#c?mode=ro&d%41é%")}
    world.push(*ALL, env=env)
    first = world.push(*ALL, env=env)
    world.said.clear()
    assert world.push(*ALL, env=env) == first and env["LUA_DATA_DIR"] in first.stderr
    assert world.said == [True]


def test_a_registry_over_http_is_asked(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = ApiServer(tmp_path)
    try:
        for _ in range(3):
            said = world.push(*ALL, env={"LUA_API_URL": server.address, "LUA_API_KEY": KEY})
            assert said.exit_code == 0 and server.address in said.stderr
        configured = world.push(
            "auth", "configure", "--url", server.address, "--api-key-stdin", stdin=f"{KEY}\n".encode()
        )
        assert configured.exit_code == 0, configured.stderr
        assert server.address in world.push(*ALL).stderr
    finally:
        server.close()
    assert not any(world.said)


def test_a_variable_that_a_skill_needs_counts_where_it_is_said(world: World) -> None:
    words, given = (*ALL, "--json"), {"SHOP_KEY": "x"}
    world.kept(*words)
    missing = [
        json.loads(world.push(*words, env=env).stdout)["steps"][1]["missingEnv"] for env in ({}, given, given, {})
    ]
    assert missing == [["SHOP_KEY"], [], [], ["SHOP_KEY"]]
    assert world.said == [True, False, True, False]


def test_a_variable_in_env_counts(world: World) -> None:
    words = (*ALL, "--json")
    for text, missing in (("SHOP_KEY=x\n", []), ("SHOP_KEY\n", ["SHOP_KEY"]), ("", ["SHOP_KEY"])):
        (world.shop / ".env").write_text(text, encoding="utf-8")
        for _ in range(2):
            assert json.loads(world.push(*words).stdout)["steps"][1]["missingEnv"] == missing
    assert world.said == [False, True] * 3


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "cut in what is said": lambda content: content[:-5],
    "empty": lambda content: b"",
    "one bit": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "another format": lambda content: content.replace(b"lua-answer ", b"lua-answer 9", 1),
    "no text": lambda content: b"\xff\xfe" + content,
    "more": lambda content: content + b"more\n",
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda name: name.replace(" ", "-"))
def test_a_damaged_answer_is_not_trusted(world: World, damage: str) -> None:
    first = world.kept(*ALL)
    (path,) = world.answers()
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert world.push(*ALL) == first
    assert world.push(*ALL) == first
    assert world.said == [False, True]


@pytest.mark.parametrize("cut", range(14))
def test_a_text_that_is_none(cut: int) -> None:
    """Whole by its checksum, and yet not what this release writes."""
    lines = [
        "push-all@-text",
        "[]",
        "agent a",
        "/r.db",
        "a",
        "0" * 64,
        "b''",
        "1",
        "1",
        "1.0.0 orders",
        "file - /x",
        "said",
    ]
    text = "\n".join([*lines[:cut], "nonsense"]) if cut < 9 else "\n".join(lines[:cut])
    if cut < 12:
        with pytest.raises((ValueError, IndexError)):
            pushing_ahead.Seen(text)
    else:
        assert pushing_ahead.Seen(text).skills == [("orders", "1.0.0")]


def test_an_answer_is_for_its_own_command_line(world: World) -> None:
    """Where names of files do not differ by case, one file answers to several names."""
    world.kept(*ORDERS)
    (path,) = world.answers()
    path.rename(place_of(str(world.shop), "push-all@-text"))
    assert world.push(*ALL).stdout.count("nothing to push") == 2
    assert world.said == [False]


def test_another_version_of_the_program_does_not_trust_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first = world.kept(*ALL)
    monkeypatch.setattr("lua_cli.pipeline.at_once.__version__", "0.0.0")
    assert world.push(*ALL) == first
    assert world.said == [False]


@pytest.mark.parametrize("name", ["LUA_DATA_DIR", "XDG_CONFIG_HOME"])
def test_a_place_that_depends_on_the_working_folder_keeps_nothing(world: World, name: str) -> None:
    for _ in range(2):
        assert world.push(*ALL, env={name: "../user/data"}).exit_code == 0
    assert not world.answers()


def test_a_file_that_is_too_young_keeps_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.kept(*ALL)
    world.forget()
    (world.shop / ".env").write_text("A=1\n", encoding="utf-8")
    monkeypatch.setattr(keeping, "RACY_NS", 10**13)
    assert world.push(*ALL).exit_code == 0
    assert not world.answers()


def compiled_otherwise(world: World) -> None:
    """Another process compiles what was edited meanwhile, and keeps its own answers."""
    replace("agent.py", "Look up one order", "Look one order up")(world)
    assert world.lua("compile", cwd=world.shop).exit_code == 0


MEANWHILE: dict[str, Callable[[World], object]] = {
    "withdrawn": in_registry(lambda registry: registry.yank("acme", "orders", "1.0.0")),
    "pushed by another": in_registry(lambda registry: registry.put("acme", submission("1.0.1", base="1.0.0"))),
    "another registry": another_registry,
    "another address": credentials(ELSEWHERE),
    "damaged credentials": credentials("[[["),
    "a .env": edit(".env", "SHOP_KEY=1\n"),
    "a .env that is none": edit(".env", "!= '\n'"),
    "another state": edit("lua.skill.toml", "# mine\n"),
    "another build": compiled_otherwise,
    "another source": replace("agent.py", "Look up one order", "Look one order up"),
}


@pytest.mark.parametrize("change", MEANWHILE, ids=lambda name: name.replace(" ", "-"))
@pytest.mark.parametrize("words", [ALL, (*ALL, "--json")], ids=["text", "json"])
def test_what_changes_while_a_push_works_is_not_kept_as_if_it_had_seen_it(
    world: World, monkeypatch: pytest.MonkeyPatch, change: str, words: tuple[str, ...]
) -> None:
    real = pushing_kept.keep_push

    def keep_push(*given: object) -> None:
        monkeypatch.setattr(pushing_kept, "keep_push", real)
        MEANWHILE[change](world)
        real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(pushing_kept, "keep_push", keep_push)
    assert world.push(*words).exit_code == 0
    changed = world.push(*words)
    assert not any(world.said)
    assert world.push(*words) == world.long_way(*words)
    assert changed.exit_code == 0 or "credentials" in change or "address" in change


@pytest.mark.skipif(sys.platform != "linux", reason="a terminal of Linux")
def test_a_terminal_gets_the_same(world: World) -> None:
    """A person runs it: progress comes and goes as on the long way."""
    on_terminal(world)  # keeps what a process of its own sees
    at_once_seen = on_terminal(world)
    assert world.answers()
    world.forget()
    assert on_terminal(world) == at_once_seen
    assert b"\x1b[2Korders 1.0.0" in at_once_seen


def on_terminal(world: World) -> bytes:
    import pty

    parent, terminal = pty.openpty()
    young = "import lua_cli.pipeline.keeping as k; k.RACY_NS = -10**13"
    same = "import lua_cli.pipeline.at_once as a; a._program.append(1)  # also where somebody edits the program now"
    code = f"{young}\n{same}\nfrom lua_cli.main import main\nassert main(['push', 'all']) == 0"
    subprocess.run(
        [sys.executable, "-c", code], cwd=world.shop, env={**os.environ, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, timeout=120, check=True,
    )  # fmt: skip
    os.close(terminal)
    seen = b""
    while piece := read(parent):
        seen += piece
    os.close(parent)
    return seen


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux's way to say that the other side is closed
        return b""
