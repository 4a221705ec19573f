"""Where Python's import system would find a module. In: search folders. Out: `ModuleLocation`s. Runs and imports
nothing.

The order is `sys.path`'s: the project's import roots, PYTHONPATH, the standard library, the interpreter's packages;
before them all come the modules that are there before any path is searched (built in, frozen, or imported when Python
starts). In one folder a package beats an extension module, which beats a `.py` file; a folder without `__init__` counts
only when no entry of the path has any of these. Stubs (`.pyi`) play no part. Folders are listed once, by exact case.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import lua_cli
from lua_cli.project import Interpreter, Project
from lua_cli.records import replace
from lua_cli.source.model import ModuleLocation, Origin

SDK = "lua_cli"

# Frozen, or imported by Python's own start: a file of that name in the project is never asked for.
ALREADY_THERE = frozenset(
    {
        "abc",
        "codecs",
        "encodings",
        "genericpath",
        "importlib",
        "io",
        "ntpath",
        "os",
        "posixpath",
        "runpy",
        "site",
        "stat",
    }
    | {"zipimport", "_collections_abc", "_frozen_importlib", "_frozen_importlib_external", "_sitebuiltins"}
)


class Finder:
    """Finds modules for one project; remembers what it found and which folders it listed."""

    def __init__(self, project: Project, environ: dict[str, str] | None = None) -> None:
        pythonpath = (os.environ if environ is None else environ).get("PYTHONPATH", "")
        extra = [Path(entry).absolute() for entry in pythonpath.split(os.pathsep) if entry]
        extra = [entry for entry in extra if entry not in project.import_roots]
        self._before: list[tuple[Path, Origin]] = [(root, "first-party") for root in project.import_roots]
        self._before += [(entry, "third-party") for entry in extra]
        self._after: list[tuple[Path, Origin]] = [(entry, "third-party") for entry in project.interpreter.packages]
        self._interpreter = project.interpreter
        self._extensions: dict[Path, dict[str, str]] = {}
        self._found: dict[str, ModuleLocation | None] = {}
        self._editable: dict[str, Path] | None = None
        self.listings: dict[Path, frozenset[str]] = {}

    def locate(self, dotted: str) -> ModuleLocation | None:
        """The module's location; None when an import would raise ModuleNotFoundError."""
        if dotted not in self._found:
            self._found[dotted] = self._locate(dotted)
        return self._found[dotted]

    def module_of(self, path: Path) -> str | None:
        """The dotted name under which the file at `path` is imported; None when it lies under no import root."""
        for root, origin in self._before:
            if origin == "first-party" and path.is_relative_to(root):
                parts = list(path.relative_to(root).with_suffix("").parts)
                if parts[-1] == "__init__":
                    parts.pop()
                if parts and all(part.isidentifier() for part in parts):
                    return ".".join(parts)
        return None

    def names_in(self, location: ModuleLocation) -> tuple[str, ...]:
        """The modules that a package holds, sorted: what `pkgutil.iter_modules` would list."""
        out: set[str] = set()
        for folder in self._folders(location):
            for entry in self._listing(folder):
                name = entry.partition(".")[0]
                if name.isidentifier() and self.locate(f"{location.dotted}.{name}"):
                    out.add(name)
        return tuple(sorted(out - {"__init__", "__main__"}))

    def entries(self, folder: Path) -> frozenset[str]:
        """The names of what lies in a folder; nothing for one that cannot be listed."""
        return self._listing(folder)

    def top_level(self) -> tuple[str, ...]:
        """The modules of the import roots, sorted: near names for a misspelled import."""
        names = {entry.partition(".")[0] for root, _ in self._before for entry in self._listing(root)}
        return tuple(sorted(name for name in names if name.isidentifier() and self.locate(name)))

    def _locate(self, dotted: str) -> ModuleLocation | None:
        parent, _, last = dotted.rpartition(".")
        if not last.isidentifier():
            return None
        if not parent:
            return self._top(last)
        package = self.locate(parent)
        if package is None or not package.is_package:
            return ModuleLocation(dotted, "stdlib", None, False) if dotted == "os.path" else None
        return self._search(dotted, last, [(folder, package.origin) for folder in self._folders(package)], package.root)

    def _top(self, name: str) -> ModuleLocation | None:
        if name in sys.builtin_module_names:
            return ModuleLocation(name, "builtin", None, False)
        standard = name in sys.stdlib_module_names
        if standard and name in ALREADY_THERE:
            return self._standard(name)
        found = self._search(name, name, self._before)
        folder = Path(lua_cli.__file__).parent
        if found is not None and not found.portions:
            is_sdk = name == SDK and (found.origin != "first-party" or found.path == folder / "__init__.py")
            return replace(found, origin="sdk") if is_sdk else found
        if name == SDK:
            return ModuleLocation(SDK, "sdk", folder / "__init__.py", True, root=folder.parent)
        if standard:
            return self._standard(name)
        return self._search(name, name, [*self._before, *self._after]) or self._from_editable(name)

    def _standard(self, name: str) -> ModuleLocation:
        folders = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("platstdlib"), "lib-dynload")]
        found = self._search(name, name, [(folder, "stdlib") for folder in folders])
        return found or ModuleLocation(name, "stdlib", None, False)

    def _search(
        self, dotted: str, name: str, entries: Iterable[tuple[Path, Origin]], root: Path | None = None
    ) -> ModuleLocation | None:
        portions: list[tuple[Path, Origin]] = []
        for folder, origin in entries:
            listing = self._listing(folder)
            inside = self._listing(folder / name) if name in listing else frozenset()
            if "__init__.py" in inside:
                return ModuleLocation(dotted, origin, folder / name / "__init__.py", True, root=root or folder)
            package = self._native(folder / name, "__init__") if inside else None
            native = folder / name / package if package else self._beside(folder, name)
            if native:
                return ModuleLocation(dotted, origin, None, package is not None, root=root or folder, native=native)
            if f"{name}.py" in listing and (file := folder / f"{name}.py").is_file():
                return ModuleLocation(dotted, origin, file, False, root=root or folder)
            if name in listing and (folder / name).is_dir():
                portions.append((folder / name, origin))
        if not portions:
            return None
        first = portions[0]
        folders = tuple(folder for folder, _ in portions)
        return ModuleLocation(dotted, first[1], None, True, root=root or first[0].parent, portions=folders)

    def _from_editable(self, name: str) -> ModuleLocation | None:
        """A package that an editable install maps to its source: the mapping is a literal in the finder it leaves
        behind."""
        if self._editable is None:
            self._editable = {}
            for folder, _ in self._after:
                for entry in sorted(self._listing(folder)):
                    if entry.startswith("__editable__") and entry.endswith("_finder.py"):
                        self._editable.update(_mapping(folder / entry))
        target = self._editable.get(name)
        if target is None:
            return None
        return self._search(
            name, target.stem if target.suffix == ".py" else target.name, [(target.parent, "third-party")]
        )

    def _folders(self, package: ModuleLocation) -> tuple[Path, ...]:
        if package.portions:
            return package.portions
        holder = package.path or package.native
        return (holder.parent,) if holder else ()

    def _beside(self, folder: Path, name: str) -> Path | None:
        native = self._native(folder, name)
        return folder / native if native else None

    def _native(self, folder: Path, name: str) -> str | None:
        """The extension module of that name in a folder, for this interpreter."""
        if folder not in self._extensions:
            entries = sorted(entry for entry in self._listing(folder) if _is_native(entry, self._interpreter))
            self._extensions[folder] = {entry.partition(".")[0]: entry for entry in reversed(entries)}
        return self._extensions[folder].get(name)

    def _listing(self, folder: Path) -> frozenset[str]:
        if folder not in self.listings:
            try:
                self.listings[folder] = frozenset(os.listdir(folder))  # noqa: PTH208 (names only, and many of them)
            except OSError:
                self.listings[folder] = frozenset()
        return self.listings[folder]


def _is_native(entry: str, interpreter: Interpreter) -> bool:
    """`x.so`, `x.abi3.so`, `x.cpython-311-x86_64-linux-gnu.so`, `x.cp311-win_amd64.pyd`: a version tag has to be this
    interpreter's."""
    if not entry.endswith((".so", ".pyd")):
        return False
    tag = entry.split(".", 1)[1].rpartition(".")[0]
    major, minor = interpreter.version
    return tag in ("", "abi3") or tag.startswith((f"cpython-{major}{minor}-", f"cp{major}{minor}-"))


def _mapping(finder: Path) -> dict[str, Path]:
    """`MAPPING: dict[str, str] = {"name": "/folder/name"}` in a finder file that an editable install wrote."""
    try:
        tree = ast.parse(finder.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    for statement in tree.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id="MAPPING"), value=ast.Dict() as value):
                try:
                    pairs = ast.literal_eval(value)
                except ValueError:
                    return {}
                return {k: Path(v) for k, v in pairs.items() if isinstance(k, str) and isinstance(v, str)}
    return {}
