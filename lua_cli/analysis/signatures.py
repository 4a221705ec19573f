"""What a call of a function must give. In: a value that is a function. Out: its parameters, where no decorator hides
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.analysis.model import Parameter
from lua_cli.analysis.values import FunctionValue, LambdaValue, Value, Where

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

_PLAIN = ("function", "staticmethod", "classmethod")


def parameters_of(machine: Machine, value: Value | None, *, bound: bool) -> tuple[Parameter, ...] | None:
    """The parameters of a function, without the one that holds the instance or the class where it is `bound` to one;
    None for what is no function, or was made by a decorator.
    """
    if isinstance(value, FunctionValue):
        if value.kind not in _PLAIN or value.wrapper is not None or value.wraps:
            return None
        bound = value.kind == "classmethod" or (bound and value.kind == "function")
    elif not isinstance(value, LambdaValue):
        return None
    params = machine.params(value)
    if bound and params and params[0].kind in ("positional", "positional-only"):
        params = params[1:]
    return tuple(
        Parameter(
            name=one.name,
            kind=one.kind,
            place=machine.index.place(value.path, one.span),
            annotation=machine.text(Where(value.path, one.annotation), 200) if one.annotation else "",
            has_default=one.default is not None,
        )
        for one in params
    )
