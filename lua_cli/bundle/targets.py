"""Where an artifact may run, as dependency markers see it.

In: the project's `requires-python`. Out: does this marker hold, is there a wheel? Fixed by the source alone: CPython on
Linux x86-64, in every version that `requires-python` allows and lua-cli supports. So a lock file gives the same pins on
every developer's machine. What only one of the versions needs is pinned too, which does no harm to the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

if TYPE_CHECKING:
    from lua_cli.bundle.locks import Locked

_MINORS = range(11, 15)
_PATCHES = (0, 99)  # the first and the last of a minor version: bounds such as `< 3.11.3` lie in between
_PLATFORM = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_release": "",
    "platform_system": "Linux",
    "platform_version": "",
    "sys_platform": "linux",
}


class Targets:
    """The Pythons that a project's artifacts may run on."""

    def __init__(self, requires_python: str) -> None:
        try:
            allowed = SpecifierSet(requires_python)
        except InvalidSpecifier:
            allowed = SpecifierSet()
        every = [(minor, patch) for minor in _MINORS for patch in _PATCHES]
        self.versions = [v for v in every if allowed.contains("3.{}.{}".format(*v))] or every

    def may_hold(self, marker: str, extras: Sequence[str] = ()) -> bool:
        """Whether the marker holds on one of them, with one of the extras or none. What cannot be read holds."""
        if not marker:
            return True
        try:
            parsed = _parsed(marker)
            return any(
                parsed.evaluate(_environment(version, extra)) for version in self.versions for extra in ("", *extras)
            )
        except (InvalidMarker, UndefinedEnvironmentName):
            return True

    @property
    def platform(self) -> str:
        """In words."""
        minors = sorted({minor for minor, _ in self.versions})
        return f"Linux x86-64, CPython {', '.join(f'3.{minor}' for minor in minors)}"

    def has_wheel(self, package: Locked) -> bool:
        """Whether the lock lists a wheel for one of them. What is no package of an index has none to list."""
        return package.local or " @ " in package.pin or any(self._fits(wheel) for wheel in package.wheels)

    def _fits(self, wheel: str) -> bool:
        try:
            tags = parse_wheel_filename(wheel)[3]
        except InvalidWheelFilename:
            return False
        return any(_platform_fits(tag.platform) and self._python_fits(tag.interpreter, tag.abi) for tag in tags)

    def _python_fits(self, interpreter: str, abi: str) -> bool:
        if interpreter in ("py3", "py2.py3"):
            return True
        found = re.fullmatch(r"(?:cp|py)3(\d+)", interpreter)
        if not found:
            return False
        minors = {minor for minor, _ in self.versions}
        if abi == "abi3" or interpreter.startswith("py"):
            return any(minor >= int(found[1]) for minor in minors)
        return int(found[1]) in minors


def _platform_fits(platform: str) -> bool:
    return platform == "any" or (platform.startswith(("manylinux", "linux")) and platform.endswith("x86_64"))


@cache
def _parsed(marker: str) -> Marker:
    return Marker(marker)


def _environment(version: tuple[int, int], extra: str) -> dict[str, str | set[str]]:
    minor, patch = version
    full = f"3.{minor}.{patch}"
    return {
        **_PLATFORM,
        "implementation_version": full,
        "python_full_version": full,
        "python_version": f"3.{minor}",
        "extra": extra,
    }
