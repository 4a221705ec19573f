"""The places that hold variables, and what a change does to one. In: names and values. Out: the names that are added,
changed, removed; no line holds a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from lua_cli.errors import NotFoundError, UsageError
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.commands.target import Target
    from lua_cli.registry.http import HttpRegistry
    from lua_cli.registry.variables import StoredVariables

Action = Literal["added", "changed", "removed", "unchanged"]
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_MARKS: Mapping[Action, str] = {"added": "+", "changed": "~", "removed": "-", "unchanged": "="}


class Place(Protocol):
    """What holds variables. `shared` says that others run with them."""

    @property
    def shared(self) -> bool: ...

    @property
    def where(self) -> str: ...

    def describe(self) -> str: ...

    def record(self) -> dict[str, Any]: ...

    def values(self) -> Mapping[str, str]: ...

    def change(self, wanted: Mapping[str, str | None]) -> None: ...


@record(frozen=True)
class FilePlace:
    """The project's `.env`."""

    path: Path
    output: Path
    shared: bool = False

    @property
    def where(self) -> str:
        return self.path.name

    def describe(self) -> str:
        return f"sandbox: {self.path}"

    def record(self) -> dict[str, Any]:
        return {"environment": "sandbox", "file": str(self.path)}

    def values(self) -> Mapping[str, str]:
        from lua_cli.project.envfile import read_env_file

        return read_env_file(self.path) if self.path.exists() else {}

    def change(self, wanted: Mapping[str, str | None]) -> None:
        from lua_cli.bundle.exclusive import locked
        from lua_cli.project.envchange import check_value, remove_variable, set_variable

        for name, value in wanted.items():
            if value is not None:
                check_value(self.path, name, value)
        self.output.mkdir(parents=True, exist_ok=True)
        with locked(self.output / "env.lock"):  # each change rewrites the whole file
            for name, value in wanted.items():
                if value is None:
                    remove_variable(self.path, name)
                else:
                    set_variable(self.path, name, value)


class RegistryPlace:
    """The variables of an agent at a registry over HTTP. Values are read once; what somebody changes after that is not
    overwritten.
    """

    shared = True

    def __init__(self, target: Target, registry: HttpRegistry) -> None:
        self._target = target
        self._variables = registry.agent_variables(target.agent)

    @property
    def where(self) -> str:
        return f"agent {self._target.agent}"

    def describe(self) -> str:
        return f"production: {self._target.describe()}"

    def record(self) -> dict[str, Any]:
        place = self._target.registry.place
        return {
            "environment": "production",
            "registry": place.where,
            "agent": self._target.agent,
            **self._target.record(),
        }

    def values(self) -> Mapping[str, str]:
        return self._stored.values

    def change(self, wanted: Mapping[str, str | None]) -> None:
        removed = [name for name, value in wanted.items() if value is None]
        if len(removed) == len(wanted) == 1:  # a call of its own: it cannot undo what others do meanwhile
            self._variables.remove(removed[0])
            return
        values = {**self._stored.values, **{name: value for name, value in wanted.items() if value is not None}}
        self._variables.replace({name: value for name, value in values.items() if name not in removed}, self._stored)

    @cached_property
    def _stored(self) -> StoredVariables:
        return self._variables.read()


@record(frozen=True)
class Change:
    """What happens to one variable. `odd`: what is to be said of a new value that others run with, "" for nothing."""

    name: str
    action: Action
    odd: str = ""


def checked_variable(name: str) -> str:
    """`name`, when every system can hold a variable of that name."""
    if not _NAME.fullmatch(name) or len(name) > 200:
        raise UsageError(
            f"{name[:40]!r} cannot be the name of a variable", hint="letters, digits and _, not beginning with a digit"
        )
    return name


def changes(place: Place, wanted: Mapping[str, str | None]) -> list[Change]:
    """What setting these values does, by name. Raises NotFoundError for a variable to remove that is not there."""
    before = place.values()
    found = []
    for name, value in sorted(wanted.items()):
        if value is None:
            if name not in before:
                there = ", ".join(sorted(before)) or "none"
                raise NotFoundError(f"there is no variable {name} in {place.where}", hint=f"there are: {there}")
            found.append(Change(name, "removed"))
            continue
        action: Action = "added" if name not in before else "unchanged" if before[name] == value else "changed"
        found.append(Change(name, action, _odd(value) if place.shared and action != "unchanged" else ""))
    return found


def change_lines(found: list[Change]) -> list[str]:
    """A line for each variable, and one for what is odd about its value."""
    lines = []
    for change in found:
        lines.append(f"{_MARKS[change.action]} {change.name}  {change.action}")
        if change.odd:
            lines.append(f"  ! {change.name} {change.odd}")
    return lines


def _odd(value: str) -> str:
    if "${" in value:
        return "has `${` in it, and is sent as it is written"
    from lua_cli.source.localities import is_local_address

    return "is an address that only this machine has" if is_local_address(value) else ""
