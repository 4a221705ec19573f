"""pyproject.toml → Settings. In: the file's text. Out: plain data, or a UsageError that names the key. Reads nothing
else.

Checked by hand rather than by pydantic: an unchanged compile must not pay for its import.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lua_cli.errors import UsageError
from lua_cli.records import field, record

RULE_LEVELS = ("ignore", "warning", "error")


@record(frozen=True)
class Settings:
    """`[tool.lua]` of pyproject.toml, and the two facts of `[project]` that an artifact carries.

    entry            path of the entry file, relative to the project
    import_roots     folders that go on the import path, relative to the project; None: the entry's folder, then the
    project's
    include          globs of data files to bundle, relative to the project
    include_modules  modules to bundle beyond the static import closure (dotted names)
    env              names of environment variables that the tools read by a computed name
    flows            folder of the YAML flows, relative to the project; None: `flows/` where it is
    size_budget      bytes that an artifact may have without a warning
    python           interpreter for child processes and third-party sources
    ignore           rule codes that are silenced in the whole project
    rules            rule code → "ignore" | "warning" | "error"
    dependencies, requires_python   `[project]`, as written
    """

    entry: str | None = None
    import_roots: tuple[str, ...] | None = None
    include: tuple[str, ...] = ()
    include_modules: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    flows: str | None = None
    size_budget: int = 10 * 1024**2
    python: str | None = None
    ignore: tuple[str, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    dependencies: tuple[str, ...] = ()
    requires_python: str = ""


_STRING, _STRINGS, _LEVELS = "a string", "a list of strings", "a table of rule codes to " + " | ".join(RULE_LEVELS)
_SIZE, _UNITS = 'a size: "500 KiB", "2 MiB"', {"B": 1, "KiB": 1024, "MiB": 1024**2}
_PATHS = frozenset({"entry", "import-roots", "include", "flows"})
_KEYS: dict[str, str] = {
    "entry": _STRING,
    "import-roots": _STRINGS,
    "include": _STRINGS,
    "include-modules": _STRINGS,
    "env": _STRINGS,
    "flows": _STRING,
    "size-budget": _SIZE,
    "python": _STRING,
    "ignore": _STRINGS,
    "rules": _LEVELS,
}


def read_settings(pyproject: Path) -> Settings | None:
    """The settings in a pyproject.toml; None when it has no `[tool.lua]`. Raises UsageError for a file that cannot be
    used."""
    document = _read_toml(pyproject)
    tool = document.get("tool", {})
    table = tool.get("lua") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise UsageError(f"{pyproject.name}: tool.lua is not a table", hint="write [tool.lua] and the keys below it")
    values = {key.replace("-", "_"): _checked(pyproject, key, value) for key, value in table.items()}
    return Settings(**values, **project_facts(document))


def read_project_facts(pyproject: Path) -> dict[str, Any]:
    """`dependencies` and `requires_python` of a pyproject.toml without `[tool.lua]`; empty when there is no such
    file."""
    return project_facts(_read_toml(pyproject)) if pyproject.is_file() else {}


def project_facts(document: Mapping[str, Any]) -> dict[str, Any]:
    project = document.get("project")
    if not isinstance(project, dict):
        return {}
    dependencies = project.get("dependencies", [])
    requires = project.get("requires-python", "")
    return {
        "dependencies": tuple(d for d in dependencies if isinstance(d, str)) if isinstance(dependencies, list) else (),
        "requires_python": requires if isinstance(requires, str) else "",
    }


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path.name} is not valid TOML: {error}", hint=f"mend {path}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path.name} is not UTF-8 (byte {error.start})", hint=f"save {path} as UTF-8") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _checked(pyproject: Path, key: str, value: object) -> Any:
    wanted = _KEYS.get(key)
    if wanted is None:
        import difflib

        near = difflib.get_close_matches(key, _KEYS, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "known keys: " + ", ".join(_KEYS)
        raise UsageError(f"{pyproject.name}: unknown key `{key}` in [tool.lua]", hint=hint)
    if wanted is _STRING and isinstance(value, str):
        return _path(key, value)
    if key == "env" and isinstance(value, list):
        for name in value:
            if not isinstance(name, str) or not re.fullmatch(r"[^\s=\0*]+", name):
                raise UsageError(
                    f"{pyproject.name}: `env` in [tool.lua] has {name!r}, which is no name of a variable",
                    hint='write names alone: env = ["KEY_EU", "KEY_US"]',
                )
    if wanted is _STRINGS and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(_path(key, item) for item in value)
    if wanted is _LEVELS and isinstance(value, dict) and all(level in RULE_LEVELS for level in value.values()):
        return {_rule_code(code): level for code, level in value.items()}
    if wanted is _SIZE and (size := _size(value)) is not None:
        return size
    raise UsageError(f"{pyproject.name}: `{key}` in [tool.lua] must be {wanted}", hint=f"got {value!r}")


def _path(key: str, text: str) -> str:
    """A path as it is everywhere, also when it was written on Windows: `src\\agent.py` is `src/agent.py`."""
    return text.replace("\\", "/") if key in _PATHS else text


def _size(value: object) -> int | None:
    number, _, unit = value.partition(" ") if isinstance(value, str) else ("", "", "")
    return int(number) * _UNITS[unit] if number.isascii() and number.isdecimal() and unit in _UNITS else None


def _rule_code(code: str) -> str:
    """`tool-name-style` and `lua/tool-name-style` mean the same."""
    return code if "/" in code else f"lua/{code}"
