"""What type variables stand for in a tool's class. In: a class, an annotation of one of its bases. Out: the annotation
with the types that the class gave, through any number of generic bases.

`class Reader(LuaTool[T])` annotates `input: T`; of `class Orders(Reader[OrderQuery])` that is OrderQuery. A variable
that nobody gave a type is its default or its bound, and stays itself without one.
"""

from __future__ import annotations

import sys
import typing
from typing import Any

Bindings = dict[Any, Any]


def filled(annotation: Any, kind: type, function: str) -> Any:
    """`annotation`, of the method `function` as `kind` has it, without type variables. Raises NameError for a type that
    was given as text and is not defined.
    """
    if not (isinstance(annotation, typing.TypeVar) or _variables(annotation)):
        return annotation
    owner = next((base for base in kind.__mro__ if function in vars(base)), kind)
    return _replaced(annotation, _bindings(kind).get(owner, {}))


def _bindings(kind: type) -> dict[Any, Bindings]:
    """For each base of a class: what its variables are. The way that is met first counts, as it does for members."""
    found: dict[Any, Bindings] = {kind: {}}
    waiting = [kind]
    while waiting:
        here = waiting.pop(0)
        for base in vars(here).get("__orig_bases__", here.__bases__):
            origin = typing.get_origin(base) or base
            if origin in (typing.Generic, typing.Protocol) or origin in found:
                continue
            given = [_replaced(_evaluated(argument, here), found[here]) for argument in typing.get_args(base)]
            found[origin] = dict(zip(getattr(origin, "__parameters__", None) or (), given, strict=False))
            waiting.append(origin)
    return found


def _evaluated(argument: Any, holder: type) -> Any:
    """A type argument; one that is given as text is read in the module of the class statement."""
    if not isinstance(argument, typing.ForwardRef):
        return argument
    return eval(argument.__forward_arg__, dict(vars(sys.modules[holder.__module__])))  # noqa: S307  # the user's own annotation


def _replaced(annotation: Any, bindings: Bindings) -> Any:
    if isinstance(annotation, typing.TypeVar):
        return bindings[annotation] if annotation in bindings else _unbound(annotation)
    variables = _variables(annotation)
    return annotation[tuple(_replaced(variable, bindings) for variable in variables)] if variables else annotation


def _variables(annotation: Any) -> tuple[Any, ...]:
    """The variables that an annotation has open: those of `list[T]`, and of pydantic's `Page[T]`, which is a class."""
    if isinstance(annotation, type):
        return tuple(getattr(annotation, "__pydantic_generic_metadata__", {}).get("parameters", ()))
    return tuple(getattr(annotation, "__parameters__", None) or ())


def _unbound(variable: Any) -> Any:
    has_default = getattr(variable, "has_default", None)
    if has_default is not None and has_default():
        return variable.__default__
    bound = variable.__bound__
    says_nothing = not isinstance(bound, type) or bound.__module__.partition(".")[0] == "pydantic"  # any model at all
    return variable if says_nothing else bound
