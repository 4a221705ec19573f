"""The static import closure: which modules a tool needs, and why each of them.

In: the source index and the modules to begin with. Out: the modules to bundle, the imports that lead to installed
packages, and those that nobody can follow. Nothing is executed to find this out.

Packages come with the modules in them; `from p import x` takes the module x where there is one; imports inside of
functions count, those for type checkers alone do not. Code that lies neither in an import root nor in a folder of
installed packages (an editable install, a folder of PYTHONPATH) exists on this machine only, and is bundled like the
project's own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from lua_cli.diagnostics import Place
from lua_cli.records import field, record
from lua_cli.source import ImportFact, ModuleLocation, SourceError, SourceIndex
from lua_cli.source.ir import Assign, Augment, Const, Display, Name


@record(frozen=True)
class Reached:
    """A module to bundle. `reason` says who asked for it; `place` is where, None for what the tool itself is."""

    location: ModuleLocation
    reason: str
    place: Place | None


@record(frozen=True)
class Outside:
    """An import that leads to an installed package (`location`), or nowhere (None)."""

    dotted: str
    location: ModuleLocation | None
    fact: ImportFact
    importer: str


@record
class Closure:
    """`modules` by dotted name, in the order of discovery; `broken` are those that cannot be read: no part of it."""

    modules: dict[str, Reached] = field(default_factory=dict)
    outside: list[Outside] = field(default_factory=list)
    dynamic: list[tuple[ModuleLocation, ImportFact]] = field(default_factory=list)
    broken: list[SourceError] = field(default_factory=list)


class Imports:
    """What modules import, worked out once for all skills of a project."""

    def __init__(self, index: SourceIndex) -> None:
        self.index = index
        self._installed: dict[Path, bool] = {}
        self._targets: dict[str, tuple[tuple[str, ImportFact], ...]] = {}

    def closure(self, roots: Iterable[tuple[str, str, Place | None]]) -> Closure:
        """The closure of `roots`: (module, reason, place), in order."""
        out = Closure()
        todo = deque(roots)
        while todo:
            dotted, reason, place = todo.popleft()
            for name, why in _with_parents(dotted, reason):
                location = self.index.locate(name)
                if name in out.modules or location is None or not self.is_bundled(location):
                    continue
                out.modules[name] = Reached(location, why, place)
                todo.extend(self._follow(location, out))
        return out

    def is_bundled(self, location: ModuleLocation) -> bool:
        """Whether the module's source belongs into an artifact: it is the project's, or on this machine alone."""
        if location.origin == "first-party":
            return True
        return location.origin == "third-party" and not self._is_installed(location)

    def _is_installed(self, location: ModuleLocation) -> bool:
        if location.root is None:
            return True
        if location.root not in self._installed:
            self._installed[location.root] = holds_installed_packages(location.root)
        return self._installed[location.root]

    def _follow(self, location: ModuleLocation, out: Closure) -> Iterator[tuple[str, str, Place | None]]:
        try:
            targets = self._targets_of(location)
        except SourceError as error:
            out.broken.append(error)
            del out.modules[location.dotted]
            return
        for target, fact in targets:
            if fact.kind == "importlib-dynamic":
                out.dynamic.append((location, fact))
                continue
            found = self.index.locate(target)
            if found is not None and self.is_bundled(found):
                yield target, f"imported by {fact.place.path}:{fact.place.line}", fact.place
            elif found is None or found.origin == "third-party":
                out.outside.append(Outside(target, found, fact, location.dotted))

    def _targets_of(self, location: ModuleLocation) -> tuple[tuple[str, ImportFact], ...]:
        """The modules that a module asks for. Raises SourceError."""
        if location.dotted not in self._targets:
            facts = [fact for fact in self.index.imports(location) if fact.guard != "type-checking"]
            self._targets[location.dotted] = tuple((t, fact) for fact in facts for t in self._resolve(location, fact))
        return self._targets[location.dotted]

    def _resolve(self, location: ModuleLocation, fact: ImportFact) -> Iterator[str]:
        base = absolute(location, fact)
        if fact.name is None or fact.kind != "from":
            yield base
            return
        names = self._star(base) if fact.name == "*" else (fact.name,)
        modules = [f"{base}.{name}" for name in names if self.index.locate(f"{base}.{name}")]
        found = self.index.locate(base) if base else None
        is_namespace = found is not None and found.is_package and not (found.path or found.native)
        if not (modules and is_namespace):  # a namespace package has no owner of its own: its module says whose it is
            yield base
        yield from modules

    def _star(self, base: str) -> tuple[str, ...]:
        """The names that `from base import *` asks for, where `__all__` is a literal: modules may be among them."""
        location = self.index.locate(base)
        if location is None or location.path is None or not self.is_bundled(location):
            return ()
        names: list[str] = []
        try:
            body = self.index.facts(location).body
        except SourceError:  # said when the module itself is reached
            return ()
        for statement in body:
            match statement:
                case (
                    Assign(targets=(Name(id="__all__"),), value=Display(items=items))
                    | Augment(target=Name(id="__all__"), value=Display(items=items))
                ):
                    names += [item.value for item in items if isinstance(item, Const) and isinstance(item.value, str)]
        return tuple(names)


def absolute(location: ModuleLocation, fact: ImportFact) -> str:
    """The dotted name of the module that a fact names; relative levels count from the importing module's package."""
    if not fact.level:
        return fact.module
    package = location.dotted if location.is_package else location.dotted.rpartition(".")[0]
    parts = package.split(".") if package else []
    parts = parts[: max(len(parts) - (fact.level - 1), 0)]
    return ".".join([*parts, fact.module] if fact.module else parts)


def holds_installed_packages(folder: Path) -> bool:
    """Whether packages were installed into the folder, rather than a developer's sources being on the path."""
    if folder.name in ("site-packages", "dist-packages") or folder.suffix == ".egg":
        return True
    return any(folder.glob("*.dist-info"))


def member_name(location: ModuleLocation) -> str:
    """The file of a module in an artifact."""
    path = location.dotted.replace(".", "/")
    return f"{path}/__init__.py" if location.is_package else f"{path}.py"


def _with_parents(dotted: str, reason: str) -> Iterator[tuple[str, str]]:
    """The module, and the packages that are imported before it; the outermost first, as Python does it."""
    parts = dotted.split(".")
    for depth in range(1, len(parts)):
        yield ".".join(parts[:depth]), f"the package of {dotted}"
    yield dotted, reason
