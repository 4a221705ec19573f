"""The templates that there are. In: the package's own files. Out: `Template`s and the files of each. Writes nothing.

A template is a folder that is a real project. In a checkout the folders lie in `templates/`, in an installed package in
`lua_cli/_templates/`. Its one-line description is that of its pyproject.toml.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator
from pathlib import Path

from lua_cli.errors import NotFoundError
from lua_cli.records import record

RENAMED = {"gitignore": ".gitignore"}  # as `.gitignore` it would rule over what git and the wheel take of the template
SKIPPED = frozenset({"__pycache__", ".lua", ".venv", ".env", ".mypy_cache", ".ruff_cache", "lua.skill.toml"})


@record(frozen=True)
class Template:
    """A template: `name` is its folder's, `project` the name that its files use and a new project replaces."""

    name: str
    description: str
    project: str
    folder: Path

    def files(self) -> dict[str, Path]:
        """Path in the new project (forward slashes) → the file to copy, without what work has left there."""
        found = {}
        for path in _walk(self.folder):
            relative = path.relative_to(self.folder)
            found[relative.with_name(RENAMED.get(path.name, path.name)).as_posix()] = path
        return found


def templates() -> tuple[Template, ...]:
    """All templates, by name."""
    folders = sorted(path.parent for path in _home().glob("*/pyproject.toml"))
    return tuple(_read(folder) for folder in folders)


def template_named(name: str) -> Template:
    """The template of that name. Raises NotFoundError that lists the others."""
    known = {template.name: template for template in templates()}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    raise NotFoundError(f"no template {name!r}", hint=f"{meant}there are {', '.join(known)}")


def _home() -> Path:
    package = Path(__file__).resolve().parent.parent
    installed = package / "_templates"
    return installed if installed.is_dir() else package.parent / "templates"


def _read(folder: Path) -> Template:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return Template(folder.name, project["description"], project["name"], folder)


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in SKIPPED:
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path
