"""What the bundled modules import from installed packages, as pinned requirements.

In: the imports that lead outside of the artifact, the interpreter's packages, the lock file. Out: requirements, and
findings about what is nowhere pinned, not declared, or locked otherwise. Nothing is downloaded, and no name is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Declared
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from lua_cli.analysis.model import Finding
from lua_cli.bundle.closure import Outside, Reached
from lua_cli.bundle.installed import Environment, Installed
from lua_cli.bundle.locks import Locked, LockFile, Wanted, read_lock
from lua_cli.bundle.model import Lock, Requirement
from lua_cli.bundle.pyproject import setting_place
from lua_cli.bundle.targets import Targets
from lua_cli.diagnostics import Place
from lua_cli.project import Project


class Requirements:
    """Works out requirements for all skills of a project; reads metadata and locks once."""

    def __init__(self, project: Project, where: Callable[[Place], str]) -> None:
        """`where` writes a place as an artifact carries it."""
        self.findings: list[Finding] = []
        self._project = project
        self._where = where
        self._environment = Environment(project.interpreter.packages)
        self._targets = Targets(project.settings.requires_python)
        self._written = project.settings.dependencies
        self._declared = _declared(self._written)
        self._lock = read_lock(project.root)
        if self._lock is not None:
            self._compare_lock(self._lock)

    @property
    def lock(self) -> Lock | None:
        return Lock(self._lock.path.name, self._lock.sha256) if self._lock else None

    def of(self, imports: Iterable[Outside]) -> tuple[Requirement, ...]:
        """The requirements of one skill, sorted by what is imported."""
        out: dict[str, Requirement] = {}
        for found in sorted(imports, key=lambda one: one.fact.place):
            requirement = self._requirement(found)
            if requirement is not None:
                out.setdefault(requirement.distribution or requirement.imports, requirement)
        return tuple(sorted(out.values(), key=lambda one: (one.imports, one.distribution)))

    def _requirement(self, found: Outside) -> Requirement | None:
        top = found.dotted.partition(".")[0]
        location, place = found.location, found.fact.place
        shown = self._where(place)
        if location is None:
            if found.fact.guard != "optional":
                self._say("lua/unpinned-dependency", place, name=found.dotted, reason="it is not installed")
            return None
        file = location.path or location.native
        if file is None:  # a namespace: what is imported out of it has an owner
            return None
        owner = self._environment.owner(file)
        if owner is None:
            reason = "no installed distribution says that it is its own"
            self._say("lua/unpinned-dependency", place, name=found.dotted, reason=reason)
            return Requirement(top, shown, (), "")
        self._check_declared(owner, found)
        pins, origin = self._pins(owner, place)
        return Requirement(_import_name(found), shown, pins, origin, owner.name)

    def local(self, modules: Iterable[Reached]) -> tuple[Requirement, ...]:
        """Packages whose sources lie beside the project and are bundled: the files' digests say what they are."""
        out: dict[str, Requirement] = {}
        for module in modules:
            location, place = module.location, module.place
            owner = self._environment.owner(location.path) if location.path and location.root else None
            if owner is not None and place is not None:
                top = location.dotted.partition(".")[0]
                out.setdefault(owner.key, Requirement(top, self._where(place), (), "local", owner.name))
        return tuple(out.values())

    def _pins(self, owner: Installed, place: Place) -> tuple[tuple[str, ...], str]:
        extras = tuple(sorted(self._declared[owner.key].extras)) if owner.key in self._declared else ()
        if self._lock is None:
            return self._installed_pins(owner, extras), "installed"
        locked = self._lock.packages.get(owner.key, ())
        if not locked:
            self._say("lua/lock-mismatch", place, name=owner.name, reason=f"it is not in {self._lock.path.name}")
            return self._installed_pins(owner, extras), "installed"
        versions = {one.version for one in locked}
        if owner.version not in versions:
            reason = f"{owner.version} is installed, {self._lock.path.name} has {', '.join(sorted(versions))}"
            self._say("lua/lock-mismatch", place, name=owner.name, reason=reason)
        return self._locked_pins(self._lock, owner.key, extras), self._lock.path.name

    def _installed_pins(self, owner: Installed, extras: tuple[str, ...]) -> tuple[str, ...]:
        """The distribution and everything installed that it requires in turn."""
        pins: set[str] = set()
        todo, seen = [(owner, extras)], set[tuple[str, tuple[str, ...]]]()
        while todo:
            installed, wanted_extras = todo.pop()
            if (installed.key, wanted_extras) in seen:
                continue
            seen.add((installed.key, wanted_extras))
            pins.add(installed.pin)
            for text in installed.requires:
                wanted = _parsed(text)
                if wanted is None or not self._targets.may_hold(str(wanted.marker or ""), wanted_extras):
                    continue
                found = self._environment.by_name.get(canonicalize_name(wanted.name))
                if found is not None:
                    todo.append((found, tuple(sorted(wanted.extras))))
        return tuple(sorted(pins))

    def _locked_pins(self, lock: LockFile, name: str, extras: tuple[str, ...]) -> tuple[str, ...]:
        """The package and everything that the lock has for it. Where a lock does not say what requires what, the
        metadata of the installed distribution does; the version is the lock's."""
        pins: set[str] = set()
        todo, seen = [Wanted(name, extras=extras)], set[Wanted]()
        while todo:
            wanted = todo.pop()
            if wanted in seen or not self._targets.may_hold(wanted.marker):
                continue
            seen.add(wanted)
            several = lock.packages.get(wanted.name, ())
            for locked in several:
                if (wanted.version or locked.version) == locked.version and self._targets.may_hold(locked.marker):
                    pins.add(locked.pin + (f" ; {locked.marker}" if len(several) > 1 and locked.marker else ""))
                    todo += self._wanted_by(locked, wanted.extras)
        return tuple(sorted(pins))

    def _wanted_by(self, locked: Locked, extras: tuple[str, ...]) -> Iterator[Wanted]:
        if locked.dependencies is not None:
            for extra in ("", *extras):
                yield from locked.dependencies.get(extra, ())
            return
        installed = self._environment.by_name.get(canonicalize_name(locked.name))
        for text in installed.requires if installed else ():
            wanted = _parsed(text)
            if wanted is not None and self._targets.may_hold(str(wanted.marker or ""), extras):
                yield Wanted(canonicalize_name(wanted.name), extras=tuple(sorted(wanted.extras)))

    def _check_declared(self, owner: Installed, found: Outside) -> None:
        """What [project] dependencies does not list works by chance. A project that lists nothing is not asked."""
        if not self._declared or owner.key in self._declared or found.fact.guard == "optional":
            return
        facts = {
            "name": found.dotted,
            "suggestion": owner.name,
            "reason": f"{owner.name} {owner.version} provides it here",
        }
        self.findings.append(Finding("lua/undeclared-dependency", found.fact.place, facts))

    def _compare_lock(self, lock: LockFile) -> None:
        """Whether the lock was written for the dependencies that pyproject.toml lists now."""
        if lock.others:
            place = setting_place(self._project, "")
            reason = f"{lock.path.name} is used, {', '.join(lock.others)} is not"
            self._say("lua/lock-mismatch", place, name="", reason=reason)
        if lock.declared is None or not self._declared:
            return
        for name in sorted(self._declared.keys() | lock.declared.keys()):
            now, then = self._declared.get(name), lock.declared.get(name)
            if now is None or then is None or not (now.url or _same(now.specifier, then)):
                reason = f"pyproject.toml lists it otherwise than {lock.path.name}"
                written = next((text for text in self._written if _key(text) == name), "dependencies")
                self._say("lua/lock-mismatch", setting_place(self._project, written), name=name, reason=reason)

    def _say(self, code: str, place: Place, **facts: str) -> None:
        self.findings.append(Finding(code, place, facts))


def _import_name(found: Outside) -> str:
    """What is imported, as far as it names the package: in a namespace package, the module that has an owner."""
    location = found.location
    if location is None or location.root is None:
        return found.dotted.partition(".")[0]
    file = location.path or location.native
    parts = found.dotted.split(".")
    folder: Path = location.root
    for depth, part in enumerate(parts, start=1):
        folder = folder / part
        if (folder / "__init__.py").is_file() or depth == len(parts) or file is None:
            return ".".join(parts[:depth])
    return found.dotted


def _declared(dependencies: Iterable[str]) -> Mapping[str, Declared]:
    parsed = [one for one in map(_parsed, dependencies) if one is not None]
    return {canonicalize_name(one.name): one for one in parsed}


def _key(dependency: str) -> str | None:
    parsed = _parsed(dependency)
    return canonicalize_name(parsed.name) if parsed else None


def _parsed(text: str) -> Declared | None:
    try:
        return Declared(text)
    except InvalidRequirement:
        return None


def _same(specifier: SpecifierSet, text: str) -> bool:
    try:
        return specifier == SpecifierSet(text)
    except InvalidSpecifier:
        return False
