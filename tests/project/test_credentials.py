"""Addresses and keys: where they are found, in which order, and that nobody else sees them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import pytest

from lua_cli.errors import AuthError, LuaError, UsageError
from lua_cli.project.credentials import (
    CREDENTIALS_FILE,
    Credentials,
    Key,
    chosen_address,
    config_folder,
    find_key,
    forget_key,
    normal_address,
    read_credentials,
    store_key,
)

HOST, SECRET = "https://lua.example.com", "lua_s3cret"
posix = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "config" / "lua-cli"


@pytest.fixture
def environ(folder: Path) -> dict[str, str]:
    return {"LUA_CONFIG_DIR": str(folder)}


class Memory(keyring.backend.KeyringBackend):
    """A keyring that lives as long as the test."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.broken = False

    def _check(self) -> None:
        if self.broken:
            raise keyring.errors.KeyringLocked(f"locked, and it says {SECRET}")

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        del self.kept[service, username]


@pytest.fixture
def memory() -> object:
    before, backend = keyring.get_keyring(), Memory()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("https://lua.example.com", HOST),
        ("https://LUA.Example.com/", HOST),
        ("  https://lua.example.com:8443/team/  ", "https://lua.example.com:8443/team"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ],
)
def test_an_address_has_one_form(text: str, normal: str) -> None:
    assert normal_address(text) == normal


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no address"),
        ("lua.example.com", "is no address"),
        ("ftp://lua.example.com", "is no address"),
        ("https://", "is no address"),
        ("https://lua.example.com:port", "is no address"),
        ("https://[::1", "is no address"),
        (f"https://mo:{SECRET}@lua.example.com", "must not hold a user or a password"),
        (f"https://lua.example.com/?key={SECRET}", "must end with its path"),
        ("https://lua.example.com/#x", "must end with its path"),
        ("http://lua.example.com", "is not encrypted"),
    ],
)
def test_what_is_no_address_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        normal_address(text, "LUA_API_URL")
    assert refused.value.message.startswith("LUA_API_URL ") and said in refused.value.message
    assert SECRET not in refused.value.message


def test_a_trusted_network_may_do_without_encryption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUA_ALLOW_HTTP", "1")
    assert normal_address("http://registry:8000") == "http://registry:8000"


def test_the_embedded_registry_is_used_where_nothing_else_is_named(environ: dict[str, str], folder: Path) -> None:
    assert chosen_address(environ) == ""
    store_key(folder, HOST, SECRET)
    assert chosen_address(environ) == HOST
    assert chosen_address({**environ, "LUA_API_URL": "https://other.example.com/"}) == "https://other.example.com"
    assert chosen_address({**environ, "LUA_API_URL": "embedded"}) == ""
    assert chosen_address({**environ, "LUA_API_URL": "  "}) == HOST


def test_the_environment_goes_first_then_the_file_then_dotenv(environ: dict[str, str], folder: Path) -> None:
    dotenv = {"LUA_API_KEY": "from-dotenv"}
    assert find_key(HOST, environ, {}) is None
    assert find_key(HOST, environ, dotenv) == Key("from-dotenv", "LUA_API_KEY in .env")
    store_key(folder, HOST, SECRET)
    assert find_key(HOST, environ, dotenv) == Key(SECRET, str(folder / CREDENTIALS_FILE))
    assert find_key(HOST, {**environ, "LUA_API_KEY": "from-env"}, dotenv) == Key("from-env", "LUA_API_KEY")


def test_a_key_is_for_its_address_alone(environ: dict[str, str], folder: Path) -> None:
    store_key(folder, HOST, SECRET)
    store_key(folder, "https://other.example.com", "lua_other")
    assert find_key("https://third.example.com", environ, {}) is None
    found = find_key(HOST, environ, {})
    assert found is not None and found.secret == SECRET
    assert chosen_address(environ) == "https://other.example.com", "the one that was configured last"


def test_forgetting_goes_back_to_the_embedded_registry(environ: dict[str, str], folder: Path) -> None:
    store_key(folder, "https://other.example.com", "lua_other")
    store_key(folder, HOST, SECRET)
    assert forget_key(folder, HOST)
    assert not forget_key(folder, HOST)
    assert chosen_address(environ) == ""
    assert SECRET not in (folder / CREDENTIALS_FILE).read_text("utf-8")
    assert set(read_credentials(folder).keys) == {"https://other.example.com"}


@posix
def test_the_file_is_the_users_alone(folder: Path) -> None:
    old = os.umask(0)
    try:
        store_key(folder, HOST, SECRET)
        store_key(folder, HOST, SECRET + "2")
    finally:
        os.umask(old)
    assert stat.S_IMODE((folder / CREDENTIALS_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [entry.name for entry in folder.iterdir()] == [CREDENTIALS_FILE]


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o620])
def test_a_file_that_others_can_read_is_refused(environ: dict[str, str], folder: Path, mode: int) -> None:
    store_key(folder, HOST, SECRET)
    path = folder / CREDENTIALS_FILE
    path.chmod(mode)
    for call in (lambda: chosen_address(environ), lambda: find_key(HOST, environ, {})):
        with pytest.raises(AuthError, match="can be read by others and is not used") as refused:
            call()
        assert refused.value.hint == f"chmod 600 {path}"


@pytest.mark.parametrize(
    "text",
    [
        f"registries = {SECRET}",
        f'[registries."{HOST}"]\nkey = "{SECRET}',
        f'[registries."{HOST}"]\nkei = "{SECRET}"',
        f'[registries."{HOST}"]\nkey = 7 # {SECRET}',
        f'registries = "{SECRET}"',
        "registry = 7",
    ],
)
def test_a_damaged_file_shows_nothing_of_itself(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    path = folder / CREDENTIALS_FILE
    path.write_text(text, "utf-8")
    path.chmod(0o600)
    with pytest.raises(AuthError) as refused:
        read_credentials(folder)
    assert refused.value.message == f"{path} is damaged"
    assert refused.value.__suppress_context__, "a traceback would quote the line"


@pytest.mark.parametrize("secret", ["", "two words", "line\nbreak", "schlüssel", "tab\t"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(folder: Path, secret: str) -> None:
    with pytest.raises(AuthError) as refused:
        store_key(folder, HOST, secret)
    assert secret == "" or secret not in refused.value.message
    assert not folder.exists()


def test_a_key_is_not_in_its_repr(folder: Path) -> None:
    assert SECRET not in repr(Key(SECRET, "x"))
    assert SECRET not in repr(Credentials(HOST, {HOST: SECRET}))


def test_the_systems_keyring_on_request(environ: dict[str, str], folder: Path, memory: Memory) -> None:
    store_key(folder, HOST, SECRET, keyring=True)
    assert SECRET not in (folder / CREDENTIALS_FILE).read_text("utf-8")
    assert memory.kept == {("lua-cli", HOST): SECRET}
    assert find_key(HOST, environ, {}) == Key(SECRET, "the system's keyring")
    memory.broken = True
    with pytest.raises(AuthError, match="keyring refused: KeyringLocked") as refused:
        find_key(HOST, environ, {})
    assert refused.value.__suppress_context__
    memory.broken = False
    assert forget_key(folder, HOST)
    assert memory.kept == {}


def test_a_keyring_that_lost_its_key(environ: dict[str, str], folder: Path, memory: Memory) -> None:
    store_key(folder, HOST, SECRET, keyring=True)
    memory.kept.clear()
    with pytest.raises(AuthError, match="has no key for"):
        find_key(HOST, environ, {})


def test_the_keyring_is_not_loaded_for_a_key_in_a_file(folder: Path) -> None:
    store_key(folder, HOST, SECRET)
    code = (
        "import os, sys; from lua_cli.project.credentials import find_key\n"
        f"assert find_key({HOST!r}, os.environ, {{}}); assert 'keyring' not in sys.modules"
    )
    env = {**os.environ, "LUA_CONFIG_DIR": str(folder)}
    assert subprocess.run([sys.executable, "-c", code], env=env, timeout=60).returncode == 0


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LuaError, match=r"cannot (read|write)") as refused:
        store_key(tmp_path / "file" / "lua-cli", HOST, SECRET)
    assert refused.value.hint


def test_the_folder_is_the_systems_without_a_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_folder({}).name == "lua-cli"
    assert config_folder({"LUA_CONFIG_DIR": "~/x"}) == Path.home() / "x"
