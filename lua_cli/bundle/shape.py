"""Shapes of JSON documents, checked without a library: an artifact is opened on every run, and must not cost an import.

In: a parsed document and a shape. Out: nothing, or a ManifestError that says where the document differs. A shape is a
type (exactly: no bool for int), or one of the functions below, which make checks out of shapes.
"""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[object, str], None]
Shape = type | Check | int | str | None

_NAMES = {str: "a string", int: "a number without a fraction", bool: "true or false"}


class ManifestError(ValueError):
    """The document is not what it has to be; the text says where and why."""


def check(value: object, shape: Shape, at: str) -> None:
    """Raises ManifestError, naming `at`, when `value` does not have the shape."""
    if shape is object:
        return
    if isinstance(shape, type):
        if type(value) is not shape:
            raise ManifestError(f"{at} is not {_NAMES[shape]}")
    elif callable(shape):
        shape(value, at)
    elif value != shape or type(value) is not type(shape):
        raise ManifestError(f"{at} is not {shape!r}")


def record(*, may_lack: tuple[str, ...] = (), **fields: Shape) -> Check:
    """An object with these keys and no others; those in `may_lack` may be missing, but not all of them."""

    def matches(value: object, at: str) -> None:
        if not isinstance(value, dict):
            raise ManifestError(f"{at} is not an object")
        for key in value.keys() - fields.keys():
            raise ManifestError(f"{at} has an unknown key {key!r}")
        for key, shape in fields.items():
            if key in value:
                check(value[key], shape, f"{at}: {key}")
            elif key not in may_lack:
                raise ManifestError(f"{at} has no {key!r}")
        if not value:
            raise ManifestError(f"{at} is empty")

    return matches


def each(shape: Shape) -> Check:
    """A list of such values."""

    def matches(value: object, at: str) -> None:
        if not isinstance(value, list):
            raise ManifestError(f"{at} is not a list")
        for position, item in enumerate(value):
            check(item, shape, f"{at}[{position}]")

    return matches


def table(shape: Shape) -> Check:
    """An object with any keys and such values."""

    def matches(value: object, at: str) -> None:
        if not isinstance(value, dict):
            raise ManifestError(f"{at} is not an object")
        for key, item in value.items():
            check(item, shape, f"{at}: {key}")

    return matches


def one_of(*shapes: Shape) -> Check:
    """A value of one of these shapes."""

    def matches(value: object, at: str) -> None:
        reasons: list[str] = []
        for shape in shapes:
            try:
                return check(value, shape, at)
            except ManifestError as error:
                reasons.append(str(error))
        raise ManifestError(reasons[-1])

    return matches


def maybe(shape: Shape) -> Check:
    """null, or a value of this shape."""

    def matches(value: object, at: str) -> None:
        if value is not None:
            check(value, shape, at)

    return matches
