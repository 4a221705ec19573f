"""How `execute` is called is told from a plain method's code as `inspect` tells it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from lua_cli.child import calling


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inner(*given: Any, **named: Any) -> Any:
        return function(*given, **named)

    return inner


class Called:
    def __call__(self, input: Any, ctx: Any = None) -> Any:
        return input


class Tool:
    def plain(self, input): ...  # type: ignore[no-untyped-def]
    async def coroutine(self, input): ...  # type: ignore[no-untyped-def]
    async def generator(self, input):  # type: ignore[no-untyped-def]
        yield input

    def none(self): ...  # type: ignore[no-untyped-def]
    def context(self, input, ctx=None): ...  # type: ignore[no-untyped-def]
    def default(self, input, more=1): ...  # type: ignore[no-untyped-def]
    def needed(self, input, session): ...  # type: ignore[no-untyped-def]
    def any_number(self, *given): ...  # type: ignore[no-untyped-def]
    def any_more(self, input, *given): ...  # type: ignore[no-untyped-def]
    def named(self, input, *, ctx): ...  # type: ignore[no-untyped-def]
    def only(self, input, ctx=None, /): ...  # type: ignore[no-untyped-def]
    def all_named(self, **named): ...  # type: ignore[no-untyped-def]
    def no_self(*given): ...  # type: ignore[no-untyped-def]

    @staticmethod
    def static(input, ctx): ...  # type: ignore[no-untyped-def]
    @classmethod
    def of_class(cls, input, ctx): ...  # type: ignore[no-untyped-def]

    decorated = wrapped(context)
    decorated_coroutine = wrapped(coroutine)
    partial = functools.partial(lambda first, given, ctx: given, 1)
    partial_method = functools.partialmethod(needed, 1)
    instance = Called()
    builtin = print


def reference(execute: Any, value: Any) -> tuple[Any, ...]:
    """What `inspect` says of it."""
    try:
        parameters = list(inspect.signature(execute).parameters.values())
    except (ValueError, TypeError):
        return (value,)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return (value,)
    if not positional:
        return ()
    if len(positional) > 1 and (positional[1].name == "ctx" or positional[1].default is positional[1].empty):
        return (value, None)
    return (value,)


@pytest.mark.parametrize("name", [name for name in vars(Tool) if not name.startswith("__")])
def test_a_callable(name: str) -> None:
    execute = getattr(Tool(), name)
    assert calling.arguments(execute, "input") == reference(execute, "input")
    assert calling.is_coroutine_function(execute) == inspect.iscoroutinefunction(execute)
