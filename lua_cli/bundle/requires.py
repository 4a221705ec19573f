"""What the bundled modules import from installed packages, as pinned requirements.

In: the imports that lead outside of the artifact, the interpreter's packages, the lock file. Out: requirements, and
findings about what is nowhere pinned, not declared or locked otherwise, and about locks that are stale or not read.
Nothing is downloaded, and no name is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from packaging.requirements import Requirement as Declared
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from lua_cli.analysis.model import Finding
from lua_cli.bundle.closure import Outside, Reached
from lua_cli.bundle.installed import Environment, Installed
from lua_cli.bundle.locks import UNREAD, LockFile, read_lock
from lua_cli.bundle.model import Lock, Requirement
from lua_cli.bundle.pinning import Pinning, parsed_requirement
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
        self._pinning = Pinning(self._environment, self._targets)
        self._written = project.settings.dependencies
        self._declared = _declared(self._written)
        self._lock = read_lock(project.root)
        self._stale = self._lock is not None and self._compare_lock(self._lock)
        if self._lock is None:
            self._say_unread()

    @property
    def lock(self) -> Lock | None:
        return Lock(self._lock.path.name, self._lock.sha256) if self._lock else None

    @property
    def lock_path(self) -> Path | None:
        return self._lock.path if self._lock else None

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
            return self._pinning.installed(owner, extras), "installed"
        file = self._lock.path.name
        versions = {one.version for one in self._lock.packages.get(owner.key, ())}
        if not versions:
            if not self._stale:
                self._say("lua/lock-mismatch", place, name=owner.name, reason=f"it is not in {file}")
            return self._pinning.installed(owner, extras), "installed"
        packages = self._pinning.locked(self._lock, owner.key, extras)
        nowhere = [package for package in packages if not self._targets.has_wheel(package)]
        for package in nowhere:
            reason = f"those in {file} are for other systems" if package.wheels else f"{file} lists none at all"
            name = f"{package.name} {package.version}"
            self._say("lua/wheel-missing", place, name=name, reason=reason, platform=self._targets.platform)
        if owner.version not in versions and not nowhere and not self._stale:
            reason = f"{owner.version} is installed, {file} has {', '.join(sorted(versions))}"
            self._say("lua/lock-mismatch", place, name=owner.name, reason=reason)
        return self._pinning.pins_of(self._lock, packages), file

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

    def _compare_lock(self, lock: LockFile) -> bool:
        """Whether the lock is stale: written for other dependencies than pyproject.toml lists now."""
        if lock.others:
            place = setting_place(self._project, "")
            reason = f"{lock.path.name} is used, {', '.join(lock.others)} is not"
            self._say("lua/lock-mismatch", place, name="", reason=reason)
        changed = {name: reason for name in self._declared if (reason := self._changed(lock, name))}
        if lock.declared is not None and self._declared:
            changed |= dict.fromkeys(lock.declared.keys() - self._declared.keys(), "pyproject.toml does not list it")
        for name in sorted(changed):
            written = next((text for text in self._written if _key(text) == name), "dependencies")
            place = setting_place(self._project, written)
            self._say("lua/lock-stale", place, name=name, file=lock.path.name, reason=changed[name])
        return bool(changed)

    def _changed(self, lock: LockFile, name: str) -> str:
        """What pyproject.toml says of a dependency and the lock does not know; "" when they agree."""
        now = self._declared[name]
        if lock.declared is not None:
            then = lock.declared.get(name)
            same = then is not None and (now.url or _same(now.specifier, then))
            return "" if same else f"pyproject.toml lists `{now}`, the lock has {_then(name, then)}"
        packages = lock.packages.get(name, ())
        if now.url or name == "lua-cli" or not self._targets.may_hold(str(now.marker or "")):
            return ""
        if not packages:
            return f"pyproject.toml lists `{now}`, the lock does not have it"
        if any(now.specifier.contains(one.version, prereleases=True) for one in packages if one.version):
            return ""
        return f"pyproject.toml lists `{now}`, the lock has {packages[0].version}"

    def _say_unread(self) -> None:
        """A lock of another format alone: what it pins is not what is bundled."""
        for name in UNREAD:
            if (self._project.root / name).is_file():
                self._say("lua/lock-unread", setting_place(self._project, ""), name=name)

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
    parsed = [one for one in map(parsed_requirement, dependencies) if one is not None]
    return {canonicalize_name(one.name): one for one in parsed}


def _key(dependency: str) -> str | None:
    parsed = parsed_requirement(dependency)
    return canonicalize_name(parsed.name) if parsed else None


def _then(name: str, specifier: str | None) -> str:
    return f"`{name}{specifier}`" if specifier is not None else "nothing of it"


def _same(specifier: SpecifierSet, text: str) -> bool:
    try:
        return specifier == SpecifierSet(text)
    except InvalidSpecifier:
        return False
