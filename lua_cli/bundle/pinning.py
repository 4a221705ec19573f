"""A distribution and everything that it requires in turn, as pins.

In: what is installed, a lock file, where an artifact may run. Out: sorted pins. lua-cli itself is never among them:
what runs an artifact brings it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from lua_cli.bundle.installed import Environment, Installed
from lua_cli.bundle.locks import Locked, LockFile, Wanted
from lua_cli.bundle.targets import Targets

_LEFT_OUT = "lua-cli"


class Pinning:
    """Follows requirements through one environment and its lock."""

    def __init__(self, environment: Environment, targets: Targets) -> None:
        self._environment = environment
        self._targets = targets

    def installed(self, owner: Installed, extras: tuple[str, ...]) -> tuple[str, ...]:
        """The pins of what is installed. What a requirement names that is not installed is none."""
        pins: set[str] = set()
        todo, seen = [(owner, extras)], set[tuple[str, tuple[str, ...]]]()
        while todo:
            installed, asked = todo.pop()
            if (installed.key, asked) in seen or installed.key == _LEFT_OUT:
                continue
            seen.add((installed.key, asked))
            pins.add(installed.pin)
            for wanted in self._required_by(installed, asked):
                found = self._environment.by_name.get(wanted.name)
                if found is not None:
                    todo.append((found, wanted.extras))
        return tuple(sorted(pins))

    def locked(self, lock: LockFile, name: str, extras: tuple[str, ...]) -> tuple[Locked, ...]:
        """The packages of the lock. Where it does not say what requires what, the metadata of the installed
        distribution does; the version is the lock's."""
        out: dict[tuple[str, str], Locked] = {}
        todo, seen = [Wanted(name, extras=extras)], set[Wanted]()
        while todo:
            wanted = todo.pop()
            if wanted in seen or wanted.name == _LEFT_OUT or not self._targets.may_hold(wanted.marker):
                continue
            seen.add(wanted)
            for locked in lock.packages.get(wanted.name, ()) or self._not_in_lock(lock, wanted):
                if (wanted.version or locked.version) == locked.version and self._targets.may_hold(locked.marker):
                    out[locked.name, locked.version] = locked
                    todo += self._wanted_by(locked, wanted.extras)
        return tuple(out[key] for key in sorted(out))

    def pins_of(self, lock: LockFile, packages: Iterable[Locked]) -> tuple[str, ...]:
        """Where a lock has several versions of a package, each pin says what it is for."""
        several = {package.name for package in packages if len(lock.packages.get(package.name, ())) > 1}
        return tuple(
            sorted(one.pin + (f" ; {one.marker}" if one.name in several and one.marker else "") for one in packages)
        )

    def _not_in_lock(self, lock: LockFile, wanted: Wanted) -> tuple[Locked, ...]:
        """A list of pins that were written by hand may lack what they require: then it is as it is installed."""
        installed = self._environment.by_name.get(wanted.name)
        if lock.whole or installed is None:
            return ()
        return (Locked(wanted.name, installed.version, installed.pin, None, local=True),)

    def _wanted_by(self, locked: Locked, extras: tuple[str, ...]) -> Iterator[Wanted]:
        if locked.dependencies is not None:
            for extra in ("", *extras):
                yield from locked.dependencies.get(extra, ())
            return
        installed = self._environment.by_name.get(locked.name)
        if installed is not None:
            yield from self._required_by(installed, extras)

    def _required_by(self, installed: Installed, extras: tuple[str, ...]) -> Iterator[Wanted]:
        for text in installed.requires:
            wanted = parsed_requirement(text)
            if wanted is not None and self._targets.may_hold(str(wanted.marker or ""), extras):
                yield Wanted(canonicalize_name(wanted.name), extras=tuple(sorted(wanted.extras)))


def parsed_requirement(text: str) -> Requirement | None:
    """A PEP 508 requirement; None for what is none."""
    try:
        return Requirement(text)
    except InvalidRequirement:
        return None
