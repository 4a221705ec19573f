"""Addresses and keys of registries over HTTP: what the user configured, kept in their own folder, by address.

In: the environment and `credentials.toml` in the user's configuration folder (`LUA_CONFIG_DIR`). Out: an address, a
`Key`. A key is never part of a message, a repr or an argument of a process; the file is the user's alone (0600) or it
is refused.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lua_cli.errors import AuthError, LuaError, UsageError
from lua_cli.project.replacing import replace_file
from lua_cli.records import field, record, replace

ADDRESS_VARIABLE, KEY_VARIABLE, FOLDER_VARIABLE = "LUA_API_URL", "LUA_API_KEY", "LUA_CONFIG_DIR"
CREDENTIALS_FILE = "credentials.toml"
EMBEDDED = "embedded"
PLATFORM = "https://api.heylua.ai"
_KEYRING_SERVICE = "lua-cli"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@record(frozen=True)
class Key:
    """A key and where it was found. Only `secret` gives it away."""

    secret: str = field(repr=False)
    where: str


@record(frozen=True)
class Credentials:
    """The file: the address that commands use, "" for the embedded registry, and by address the key, or None where
    the system's keyring has it.
    """

    address: str = ""
    keys: Mapping[str, str | None] = field(default_factory=dict, repr=False)


def config_folder(environ: Mapping[str, str]) -> Path:
    """`LUA_CONFIG_DIR`, else the user's configuration folder as the system has it."""
    named = environ.get(FOLDER_VARIABLE, "").strip()
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_config_dir("lua-cli", appauthor=False))


def chosen_address(environ: Mapping[str, str]) -> str:
    """The address of the registry to use, "" for the embedded one: `LUA_API_URL`, else what `lua auth configure`
    chose.
    """
    named = environ.get(ADDRESS_VARIABLE, "").strip()
    if named == EMBEDDED:
        return ""
    return normal_address(named, ADDRESS_VARIABLE) if named else read_credentials(config_folder(environ)).address


def normal_address(text: str, what: str = "the address") -> str:
    """One form for each address. Raises UsageError for what is none, and for one that would send a key in the clear."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"{what} is no address: {error}", hint="such as https://lua.example.com") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{what} is no address: {_shown(text)}", hint="such as https://lua.example.com")
    if parts.username or parts.password:
        raise UsageError(f"{what} must not hold a user or a password", hint="`lua auth configure` stores a key")
    if parts.query or parts.fragment:
        raise UsageError(f"{what} must end with its path: {_shown(text)}", hint="such as https://lua.example.com")
    if parts.scheme == "http" and host not in _LOOPBACK and not os.environ.get("LUA_ALLOW_HTTP"):
        raise UsageError(
            f"{what} is not encrypted: {_shown(text)} would show the key to the network",
            hint="use https, or set LUA_ALLOW_HTTP=1 for a network that you trust",
        )
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def find_key(address: str, environ: Mapping[str, str], dotenv: Mapping[str, str | None]) -> Key | None:
    """The key for an address: the environment, what was stored for this address, then `.env` of the project."""
    if value := environ.get(KEY_VARIABLE, "").strip():
        return checked_key(Key(value, KEY_VARIABLE))
    folder = config_folder(environ)
    stored = read_credentials(folder).keys
    if address in stored:
        value = stored[address] or _keyring_get(address)
        return checked_key(Key(value, str(folder / CREDENTIALS_FILE) if stored[address] else "the system's keyring"))
    if value := (dotenv.get(KEY_VARIABLE) or "").strip():
        return checked_key(Key(value, f"{KEY_VARIABLE} in .env"))
    return None


def read_credentials(folder: Path) -> Credentials:
    """The stored credentials. Raises AuthError for a file that others can read, and for one that is damaged."""
    path = folder / CREDENTIALS_FILE
    try:
        with path.open("rb") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise AuthError(f"{path} can be read by others and is not used", hint=f"chmod 600 {path}")
            document = tomllib.loads(file.read().decode("utf-8"))
        return _credentials(document)
    except FileNotFoundError:
        return Credentials()
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError):
        # `from None`: the text of a parser's error may quote the line that holds a key
        raise AuthError(f"{path} is damaged", hint="delete it, then `lua auth configure`") from None
    except OSError as error:
        raise AuthError(f"cannot read {path}: {error.strerror}", hint=f"check the permissions of {path}") from error


def store_key(folder: Path, address: str, secret: str, *, keyring: bool = False) -> None:
    """Remember a key for an address, and use that address from now on."""
    checked_key(Key(secret, "the key"))
    if keyring:
        _keyring_set(address, secret)
    before = read_credentials(folder)
    keys = {**before.keys, address: None if keyring else secret}
    _write(folder / CREDENTIALS_FILE, replace(before, address=address, keys=keys))


def forget_key(folder: Path, address: str) -> bool:
    """Forget the key of an address; the embedded registry is used again when it was the chosen one. Gives whether
    there was one.
    """
    before = read_credentials(folder)
    if address not in before.keys:
        return False
    if before.keys[address] is None:
        _keyring_delete(address)
    kept = {known: key for known, key in before.keys.items() if known != address}
    _write(folder / CREDENTIALS_FILE, Credentials("" if before.address == address else before.address, kept))
    return True


def _credentials(document: Mapping[str, Any]) -> Credentials:
    keys: dict[str, str | None] = {}
    for address, entry in document.get("registries", {}).items():
        key = None if entry.get("keyring") is True else entry["key"]
        if not (key is None or isinstance(key, str)):
            raise TypeError
        keys[address] = key
    chosen = document.get("registry", "")
    if not isinstance(chosen, str):
        raise TypeError
    return Credentials(chosen, keys)


def checked_key(key: Key) -> Key:
    """A key travels in a header: what cannot is refused here, without showing it."""
    if not key.secret or not key.secret.isascii() or not key.secret.isprintable() or " " in key.secret:
        raise AuthError(
            f"the key from {key.where} is not one: it is empty, or has spaces or other characters no key has"
        )
    return key


def _write(path: Path, credentials: Credentials) -> None:
    """Replace the file as a whole; it is never readable by others, not even for a moment."""
    import tomli_w

    entries = {a: {"keyring": True} if key is None else {"key": key} for a, key in sorted(credentials.keys.items())}
    content = tomli_w.dumps({"registry": credentials.address, "registries": entries}).encode("utf-8")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_file(path, content, private=True)
    except OSError as error:
        raise LuaError(
            f"cannot write {path}: {error.strerror}", hint="set LUA_CONFIG_DIR to a folder of yours"
        ) from error


def _keyring() -> Any:
    try:
        import keyring
    except ImportError:
        raise AuthError(
            "the system's keyring needs the package keyring", hint="pip install 'lua-cli[keyring]'"
        ) from None
    return keyring


def _keyring_get(address: str) -> str:
    value = _keyring_call("get_password", address)
    if not value:
        raise AuthError(f"the system's keyring has no key for {address}", hint="lua auth configure --keyring")
    return str(value)


def _keyring_set(address: str, secret: str) -> None:
    _keyring_call("set_password", address, secret)


def _keyring_delete(address: str) -> None:
    _keyring_call("delete_password", address)


def _keyring_call(name: str, address: str, *secret: str) -> Any:
    keyring = _keyring()
    try:
        return getattr(keyring, name)(_KEYRING_SERVICE, address, *secret)
    except keyring.errors.KeyringError as error:
        raise AuthError(
            f"the system's keyring refused: {type(error).__name__}", hint="store the key in a file: leave --keyring out"
        ) from None


def _shown(text: str) -> str:
    """An address in a message, without what could be a password in it."""
    return text.partition("?")[0].rpartition("@")[2][:80]
