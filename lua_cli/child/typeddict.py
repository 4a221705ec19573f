"""TypedDicts that pydantic cannot read: before Python 3.12 it wants typing_extensions' own. In: a type. Out: the same
type, readable.

Reaches TypedDicts inside of generic types (`list[Row]`) and inside of each other; not those inside of pydantic
models, where pydantic says itself what to import.
"""

from __future__ import annotations

import sys
import typing
from types import UnionType
from typing import Any


def readable(kind: Any, seen: dict[Any, Any] | None = None) -> Any:
    """`kind` with every `typing.TypedDict` in it as one of typing_extensions."""
    if sys.version_info >= (3, 12):
        return kind
    seen = {} if seen is None else seen
    if typing.is_typeddict(kind) and type(kind).__module__ == "typing":
        return seen[kind] if kind in seen else _copy(kind, seen)
    arguments = typing.get_args(kind)
    if not arguments or typing.get_origin(kind) is typing.Literal:
        return kind
    changed = tuple(readable(argument, seen) for argument in arguments)
    if all(new is old for new, old in zip(changed, arguments, strict=True)):
        return kind
    if typing.get_origin(kind) is typing.Annotated:
        return typing.Annotated[changed]
    if isinstance(kind, UnionType) or typing.get_origin(kind) is typing.Union:
        return typing.Union[changed]  # noqa: UP007  # built from values
    return typing.get_origin(kind)[changed]


def _copy(kind: Any, seen: dict[Any, Any]) -> Any:
    import typing_extensions as extensions

    fields: dict[str, Any] = {}
    for name, annotation in typing.get_type_hints(kind, include_extras=True).items():
        origin, wanted = typing.get_origin(annotation), name in kind.__required_keys__
        if origin in (typing.Required, typing.NotRequired):
            annotation, wanted = typing.get_args(annotation)[0], origin is typing.Required
        fields[name] = (extensions.Required if wanted else extensions.NotRequired)[readable(annotation, seen)]
    make: Any = extensions.TypedDict
    copy = make(kind.__name__, fields)
    copy.__doc__ = kind.__doc__
    copy.__module__, copy.__qualname__ = kind.__module__, kind.__qualname__
    if hasattr(kind, "__pydantic_config__"):
        copy.__pydantic_config__ = kind.__pydantic_config__
    seen[kind] = copy
    return copy
