"""What the package says of itself is what is there."""

from __future__ import annotations

import tomllib

import lua_cli
from lua_cli.commands.app import help_text
from tests.conftest import REPOSITORY


def test_all_is_what_is_there() -> None:
    public = {name for name in dir(lua_cli) if not name.startswith("_")} - {"TYPE_CHECKING"}
    modules = {name for name in public if type(getattr(lua_cli, name)).__name__ == "module"}
    assert public - modules == set(lua_cli.__all__) - {"__version__"}


def test_the_version_is_one() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == lua_cli.__version__


def test_the_prerendered_help_is_what_typer_prints() -> None:
    copy = (REPOSITORY / "lua_cli" / "_help.txt").read_text("utf-8")
    assert copy == help_text(), "run scripts/render-help after a change of the commands"
