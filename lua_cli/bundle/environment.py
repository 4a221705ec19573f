"""What the modules of a skill ask their machine for: environment variables, addresses, files. In: the modules, the
index, the settings. Out: uses of variables, and findings about names that only a run knows, variables that are set
nowhere, and things that only this machine has.

Must not show a value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from lua_cli.analysis.model import Finding
from lua_cli.bundle.closure import Reached
from lua_cli.bundle.dynamic import literal_beginning
from lua_cli.bundle.model import Draft, EnvUse
from lua_cli.diagnostics import Place
from lua_cli.project import Project
from lua_cli.project.envfile import example_names, names_in
from lua_cli.source import ComputedRead, EnvRead, LocalThing, ModuleLocation, SourceIndex

SETTING: Final = "[tool.lua] env"
_ADDRESS: Final = re.compile(r"([\w+.-]+://)(?:([^/@\s]*)@)?(\[[^\]]*\]|[^:/?#\s]+)(:\d+)?")


class Environment:
    """What the skills of one project ask for: each finding once."""

    def __init__(self, project: Project, index: SourceIndex) -> None:
        self._project = project
        self._index = index
        self._findings: dict[tuple[str, Place], Finding] = {}
        self._looked_up: set[str] = set()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._findings.values())

    @property
    def looked_up(self) -> frozenset[str]:
        """Names whose presence in the process's environment decided a finding."""
        return frozenset(self._looked_up)

    def uses(self, modules: Iterable[Reached], where: Callable[[Place], str]) -> tuple[EnvUse, ...]:
        """The variables that the modules read, and those that [tool.lua] names, by name."""
        locations = [module.location for module in modules]
        reads: dict[str, list[EnvRead]] = {}
        for location in locations:
            for read in self._index.env_reads(location):
                if _is_name(read.name):
                    reads.setdefault(read.name, []).append(read)
            self._say_local(location)
        for read in self._computed(locations):
            reads.setdefault(read.name, []).append(read)
        uses = {
            name: EnvUse(
                name,
                tuple(map(where, sorted(read.place for read in found))),
                all(read.has_default for read in found),
                _needed_at(found),
            )
            for name, found in reads.items()
        }
        for name in self._project.settings.env:
            uses.setdefault(name, EnvUse(name, (SETTING,), optional=True, read=False))
        return tuple(uses[name] for name in sorted(uses))

    def say_missing(self, drafts: Iterable[Draft]) -> None:
        """Variables without a default that are set nowhere: not here, not in `.env`, and not listed in
        `.env.example`."""
        known: frozenset[str] | None = None
        missing: dict[Place, set[str]] = {}
        for draft in drafts:
            for use in draft.env_uses:
                if use.place is None:
                    continue
                if known is None:
                    known = names_in(self._project.root / ".env") | example_names(self._project.root)
                self._looked_up.add(use.name)
                if use.name not in known and use.name not in os.environ:
                    missing.setdefault(use.place, set()).add(use.name)
        for place, names in missing.items():
            self._say("lua/environment-missing", place, names="\n".join(sorted(names)))

    def _computed(self, locations: list[ModuleLocation]) -> Iterator[EnvRead]:
        """Names that are computed: those that can be told, and a finding for what cannot."""
        found = [(location, read) for location in locations for read in self._index.computed_reads(location)]
        if not found:
            return
        variables = self._index.variables(locations)
        told = [(read, variables.names(location.dotted, read.span)) for location, read in found]
        for read, names in told:
            for name in sorted(filter(_is_name, names.found)):
                spare = name in variables.spare
                yield EnvRead(name, read.place, read.has_default or spare, "asks" if spare else read.need)
            if not names.complete and not self._named_in_settings(read):
                self._say("lua/environment-computed", read.place, expression=read.expression)

    def _named_in_settings(self, read: ComputedRead) -> bool:
        prefix = literal_beginning(read.expression)
        return any(name.startswith(prefix) for name in self._project.settings.env)

    def _say_local(self, location: ModuleLocation) -> None:
        for thing in self._index.local_things(location):
            self._say("lua/local-address", thing.place, name=_shown(thing), reason=thing.kind)

    def _say(self, code: str, place: Place, **facts: str) -> None:
        self._findings.setdefault((code, place), Finding(code, place, facts))


def _needed_at(reads: list[EnvRead]) -> Place | None:
    """Where a variable is read that has to be there: nowhere, when the code says what to do without it."""
    if any(read.need == "handles" for read in reads):
        return None
    return min((read.place for read in reads if read.need == "needs"), default=None)


def _shown(thing: LocalThing) -> str:
    """An address without what may be a password: user, path and query are left out."""
    found = _ADDRESS.match(thing.text) if thing.kind == "address" else None
    if found is None:
        return thing.text
    scheme, user, host, port = found.groups()
    rest = "/…" if thing.text[found.end() :].strip("/") else ""
    return f"{scheme}{'…@' if user else ''}{host}{port or ''}{rest}"


def _is_name(name: str) -> bool:
    """Whether a variable can have that name: half of a surrogate pair is nothing that an environment can hold."""
    return bool(name) and not {"=", "\0", "\n"} & set(name) and not any("\ud800" <= char <= "\udfff" for char in name)
