"""How `execute` is called: awaited or not, and with what. In: a bound method or any other callable. Out: its kind.

Plain methods are read off their code; all others are for `inspect`, whose import costs half a bare Python.
"""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any

_COROUTINE, _VARIADIC = 0x80, 0x04  # CO_COROUTINE, CO_VARARGS


def is_coroutine_function(execute: Any) -> bool:
    """Whether a call gives a coroutine."""
    code = _plain_code(execute)
    if code is not None:
        return bool(code.co_flags & _COROUTINE)
    import inspect

    return inspect.iscoroutinefunction(execute)


def arguments(execute: Any, value: Any, context: Any = None) -> tuple[Any, ...]:
    """What to call it with: nothing, the input, or the input and the context."""
    positional = _positional(execute)
    if positional is None:
        return (value,)
    if not positional:
        return ()
    if len(positional) > 1 and (positional[1][0] == "ctx" or positional[1][1]):
        return (value, context)
    return (value,)


def _positional(execute: Any) -> list[tuple[str, bool]] | None:
    """Name of each positional parameter, and whether it must be given; None where that is unknown or without end."""
    code = _plain_code(execute)
    if code is not None and code.co_argcount:
        if code.co_flags & _VARIADIC:
            return None
        needed = code.co_argcount - len(execute.__func__.__defaults__ or ())
        return [(name, number < needed) for number, name in enumerate(code.co_varnames[: code.co_argcount])][1:]
    import inspect

    try:
        parameters = list(inspect.signature(execute).parameters.values())
    except (ValueError, TypeError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [(p.name, p.default is p.empty) for p in parameters if p.kind in kinds]


def _plain_code(execute: Any) -> Any:
    """The code of a method that nobody wrapped or marked; None for anything else."""
    if type(execute) is not MethodType or type(execute.__func__) is not FunctionType or execute.__func__.__dict__:
        return None
    return execute.__func__.__code__
