"""Where the embedded registry lies on this machine. In: the environment. Out: a path. Creates nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

DATA_FOLDER = "LUA_DATA_DIR"
REGISTRY_FILE = "registry.db"


def data_folder(environ: Mapping[str, str]) -> Path:
    """`LUA_DATA_DIR`, else the user's data folder as the system has it (`~/.local/share/lua-cli`,
    `~/Library/Application Support/lua-cli`, `%LOCALAPPDATA%\\lua-cli`)."""
    named = environ.get(DATA_FOLDER, "").strip()
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("lua-cli", appauthor=False))


def registry_file(environ: Mapping[str, str]) -> Path:
    """The SQLite file of the embedded registry."""
    return data_folder(environ) / REGISTRY_FILE
