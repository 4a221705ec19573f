"""Versions by the rules of Semantic Versioning 2.0. In: text. Out: a `Version`, or a UsageError that says the rule.

Strict: three numbers without leading zeros, an optional pre-release, optional build metadata. Two versions that
differ only in build metadata have the same precedence, so a registry holds at most one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lua_cli.errors import UsageError
from lua_cli.records import record

LONGEST = 128  # the text is a path segment of a URL, and a number of thousands of digits helps nobody

_NUMBER = r"0|[1-9][0-9]*"
_PRE = rf"(?:{_NUMBER}|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD = r"[0-9a-zA-Z-]+"
_SEMVER = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_PRE}(?:\.{_PRE})*))?(?:\+({_BUILD}(?:\.{_BUILD})*))?", re.ASCII
)

_Key = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


@record(frozen=True)
class Version:
    """One version. `prerelease` and `build` are the dotted parts, empty without one."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[str, ...] = ()
    build: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Version:
        """`text` as a version. Raises UsageError, naming the rule, for anything that is none."""
        found = _SEMVER.fullmatch(text) if len(text) <= LONGEST else None
        if found is None:
            raise UsageError(
                f"{_shown(text)} is not a version: {_why(text)}", hint="three numbers, such as 1.2.0 or 2.0.0-rc.1"
            )
        major, minor, patch, prerelease, build = found.groups()
        return cls(int(major), int(minor), int(patch), _parts(prerelease), _parts(build))

    def __str__(self) -> str:
        return self.precedence + ("+" + ".".join(self.build) if self.build else "")

    @property
    def precedence(self) -> str:
        """The text without build metadata: equal for versions that count as the same."""
        core = f"{self.major}.{self.minor}.{self.patch}"
        return core + ("-" + ".".join(self.prerelease) if self.prerelease else "")

    @property
    def key(self) -> _Key:
        """Sorts by precedence: numbers as numbers, a pre-release before its release, numeric parts before others."""
        parts = tuple((False, int(p), "") if p.isdigit() else (True, 0, p) for p in self.prerelease)
        return (self.major, self.minor, self.patch, not self.prerelease, parts)

    def next_patch(self) -> Version:
        """The next version without a pre-release: 1.2.4 after 1.2.3, and 2.0.0 after 2.0.0-rc.1."""
        return Version(self.major, self.minor, self.patch if self.prerelease else self.patch + 1)


FIRST = Version(1, 0, 0)


def highest(versions: Iterable[Version]) -> Version | None:
    """The one with the highest precedence; None of none."""
    return max(versions, key=lambda v: v.key, default=None)


def _parts(text: str | None) -> tuple[str, ...]:
    return tuple(text.split(".")) if text else ()


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "…")


def _why(text: str) -> str:
    """The first rule that `text` breaks, in words."""
    if not text:
        return "it is empty"
    if len(text) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    if text[0] in "vV=":
        return f"write it without the {text[0]!r}"
    core, _, _ = text.partition("+")
    core, _, prerelease = core.partition("-")
    numbers = core.split(".")
    if len(numbers) != 3:
        return "it needs major.minor.patch"
    if any(re.fullmatch("0[0-9]+", number) for number in numbers) or any(
        re.fullmatch("0[0-9]+", part) for part in prerelease.split(".")
    ):
        return "a number has no leading zero"
    if not all(re.fullmatch("[0-9]+", number) for number in numbers):
        return "major, minor and patch are numbers"
    return "pre-release and build are letters, digits and hyphens between dots"
