"""Where an artifact may run, as dependency markers see it.

In: the project's `requires-python`. Out: answers to "does this marker hold?". Fixed by the source alone: CPython on
Linux x86-64, in every version that `requires-python` allows and lua-cli supports. So a lock file gives the same pins on
every developer's machine. What only one of the versions needs is pinned too, which does no harm to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
from packaging.specifiers import InvalidSpecifier, SpecifierSet

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
