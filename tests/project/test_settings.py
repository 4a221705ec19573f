from __future__ import annotations

from pathlib import Path

import pytest

from lua_cli.errors import UsageError
from lua_cli.project.settings import Settings, read_settings


def settings(tmp_path: Path, text: str | bytes) -> Settings | None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_settings(path)


def test_every_key_is_read(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        """
        [project]
        dependencies = ["httpx>=0.28"]
        requires-python = ">=3.11"
        [tool.lua]
        entry = "src/agent.py"
        import-roots = ["src", "."]
        include = ["data/*.json"]
        include-modules = ["plugins.extra"]
        size-budget = "2 MiB"
        python = ".venv"
        ignore = ["tool-name-style"]
        rules = { "lua/unused-tool" = "error", tool-name-style = "ignore" }
        """,
    )
    assert found == Settings(
        entry="src/agent.py",
        import_roots=("src", "."),
        include=("data/*.json",),
        include_modules=("plugins.extra",),
        size_budget=2 * 1024**2,
        python=".venv",
        ignore=("tool-name-style",),
        rules={"lua/unused-tool": "error", "lua/tool-name-style": "ignore"},
        dependencies=("httpx>=0.28",),
        requires_python=">=3.11",
    )


def test_no_tool_lua_is_no_project(tmp_path: Path) -> None:
    assert settings(tmp_path, "[project]\nname = 'x'\n") is None


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[tool.lua\n", "pyproject.toml is not valid TOML", "mend"),
        (b"[tool.lua]\n# \xff\n", "pyproject.toml is not UTF-8 (byte 13)", "UTF-8"),
        ("[tool]\nlua = 3\n", "tool.lua is not a table", "[tool.lua]"),
        ("[tool.lua]\nentri = 'a.py'\n", "unknown key `entri`", "did you mean `entry`?"),
        ("[tool.lua]\nwhatever = 1\n", "unknown key `whatever`", "known keys: entry"),
        ("[tool.lua]\nentry = 3\n", "`entry` in [tool.lua] must be a string", "got 3"),
        ("[tool.lua]\ninclude = ['a', 1]\n", "`include` in [tool.lua] must be a list of strings", "got ['a', 1]"),
        (
            "[tool.lua]\nsize-budget = '2 GB'\n",
            '`size-budget` in [tool.lua] must be a size: "500 KiB", "2 MiB"',
            "got '2 GB'",
        ),
        ("[tool.lua]\nsize-budget = 500\n", "must be a size", "got 500"),
        ("[tool.lua]\nrules = {x = 'loud'}\n", "must be a table of rule codes to ignore | warning | error", "loud"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, text: str | bytes, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        settings(tmp_path, text)
    assert message in raised.value.message
    assert hint in (raised.value.hint or "")
