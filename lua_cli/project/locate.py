"""Where the project is. In: a folder. Out: a Project, or an error that says what to type. Writes nothing."""

from __future__ import annotations

from pathlib import Path

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.project.interpreter import Interpreter, find_interpreter
from lua_cli.project.settings import Settings, read_project_facts, read_settings
from lua_cli.records import record, replace

ENTRY_FILES = ("agent.py", "src/agent.py", "main.py", "src/main.py")
OUTPUT_FOLDER = ".lua"
FLOWS_FOLDER = "flows"


@record(frozen=True)
class Project:
    """One project of a user. Paths are absolute.

    root          the folder of pyproject.toml (or the one that holds the entry file)
    entry         the file whose `agent = LuaAgent(...)` everything starts from; the folder of the flows in a project of
                  YAML alone
    import_roots  the folders that first-party modules are imported from, in order
    interpreter   the Python of child processes and third-party packages
    output        `.lua/`: build output and cache
    flows         the folder of the YAML flows, None without one
    """

    root: Path
    entry: Path
    import_roots: tuple[Path, ...]
    settings: Settings
    interpreter: Interpreter
    flows: Path | None = None

    @property
    def has_python(self) -> bool:
        """There is an entry file: the project is not one of YAML alone."""
        return self.entry != self.flows

    @property
    def output(self) -> Path:
        return self.root / OUTPUT_FOLDER

    def relative(self, path: Path) -> str:
        """`path` as diagnostics show it: relative to the root with forward slashes; absolute when it lies outside."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()


def open_project(start: Path, *, explicit: bool = False) -> Project:
    """The project that `start` belongs to: the nearest folder upward whose pyproject.toml has `[tool.lua]`, else
    `start`
    itself when it has an entry file. With `explicit` (`--project DIR`) only `start` is looked at.

    Raises NotFoundError (no project, no entry file) and UsageError (a pyproject.toml that cannot be used).
    """
    start = start.absolute()
    if ".." in start.parts:  # paths below the root are told by their beginning
        start = start.resolve()
    if not start.is_dir():
        raise NotFoundError(f"no such folder: {start}")
    for folder in (start,) if explicit else (start, *start.parents):
        pyproject = folder / "pyproject.toml"
        if not pyproject.is_file():
            continue
        settings = read_settings(pyproject)
        if settings is not None:
            return _project(folder, settings)
    if any((start / name).is_file() for name in ENTRY_FILES) or _has_yaml(start / FLOWS_FOLDER):
        return _project(start, replace(Settings(), **read_project_facts(start / "pyproject.toml")))
    raise NotFoundError(
        f"no lua project in {start}" + ("" if explicit else " or above it"),
        hint='start one with `lua init`, or add [tool.lua] with `entry = "src/agent.py"` to pyproject.toml',
    )


def _project(root: Path, settings: Settings) -> Project:
    flows = _flows(root, settings)
    entry = _entry(root, settings, flows)
    if settings.import_roots is None:
        roots = list(dict.fromkeys((root if entry == flows else entry.parent, root)))
    else:
        if any("\0" in name for name in settings.import_roots):
            raise UsageError(
                "import-roots in [tool.lua]: a folder's name cannot hold a NUL character", hint="take it out"
            )
        roots = [(root / name).resolve() if name not in ("", ".") else root for name in settings.import_roots]
        for name, folder in zip(settings.import_roots, roots, strict=True):
            if not folder.is_dir():
                raise UsageError(f"import-roots in [tool.lua]: no folder {name!r}", hint=f"looked for {folder}")
    return Project(root, entry, tuple(roots), settings, find_interpreter(root, settings.python), flows)


def _flows(root: Path, settings: Settings) -> Path | None:
    """The folder of the flows: the one that is set, else `flows/` when it holds YAML."""
    if settings.flows is None:
        return root / FLOWS_FOLDER if _has_yaml(root / FLOWS_FOLDER) else None
    folder = root / settings.flows if "\0" not in settings.flows else None
    if folder is None or not folder.is_dir():
        hint = f"create it, or mend `flows` in [tool.lua] of {root / 'pyproject.toml'}"
        raise NotFoundError(f"the folder of flows {settings.flows!r} does not exist in {root}", hint=hint)
    if not folder.resolve().is_relative_to(root.resolve()):
        hint = "move it under " + str(root)
        raise UsageError(f"the folder of flows {settings.flows!r} lies outside of the project", hint=hint)
    return folder


def _has_yaml(folder: Path) -> bool:
    return folder.is_dir() and any(path.suffix in (".yaml", ".yml") for path in folder.iterdir())


def _entry(root: Path, settings: Settings, flows: Path | None) -> Path:
    names = (settings.entry,) if settings.entry else ENTRY_FILES
    for name in names:
        if (root / name).is_file():
            entry = root / name
            if not entry.resolve().is_relative_to(root.resolve()):
                raise UsageError(
                    f"the entry file {name!r} lies outside of the project", hint="move it under " + str(root)
                )
            return entry
    if settings.entry:
        hint = f"create it, or set `entry` in [tool.lua] of {root / 'pyproject.toml'}"
        raise NotFoundError(f"the entry file {settings.entry!r} does not exist in {root}", hint=hint)
    if flows is not None:
        return flows
    raise NotFoundError(
        f"no entry file in {root}",
        hint="create src/agent.py with `agent = LuaAgent(...)`; searched: " + ", ".join(names),
    )
