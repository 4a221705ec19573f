"""Folding of constants: what Python computes from literals, with bounds. Pure; works on Python's own str, int and
tuple.

Nothing of the user's runs here: only methods of built-in types, on constants, from a fixed list, with results of
bounded size.
"""

from __future__ import annotations

import inspect
import operator
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

MAX_LENGTH = 200_000
MAX_NUMBER = 10**18

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}
_STR_METHODS = frozenset({
    "capitalize", "casefold", "count", "endswith", "find", "format", "format_map", "index", "isalnum",
    "isalpha", "isdigit", "isidentifier", "islower", "isupper", "join", "lower", "lstrip", "partition",
    "removeprefix", "removesuffix", "replace", "rpartition", "rsplit", "rstrip", "split", "splitlines",
    "startswith", "strip", "swapcase", "title", "upper", "zfill", "center", "ljust", "rjust",
})  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "textwrap.dedent": textwrap.dedent,
    "textwrap.indent": textwrap.indent,
    "inspect.cleandoc": inspect.cleandoc,
    "str": str,
    "int": int,
    "bool": bool,
    "float": float,
    "len": len,
    "repr": repr,
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    "any": any,
    "all": all,
}


class NotFoldedError(Exception):
    """The result is not known, too large, or Python raises: then `kind` names the exception, and the message is
    Python's."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


def binary(op: str, left: object, right: object) -> object:
    """`left op right`."""
    if op == "%" and isinstance(left, str):
        _check_widths(left)
    if op == "*":
        _check_repeat(left, right)
    return _bounded(_BINARY.get(op), left, right)


def compare(op: str, left: object, right: object) -> bool:
    """`left op right` for a comparison."""
    return bool(_run(_COMPARE.get(op), left, right))


def unary(op: str, operand: object) -> object:
    """`op operand`."""
    functions: dict[str, Callable[[Any], Any]] = {
        "not": operator.not_,
        "-": operator.neg,
        "+": operator.pos,
        "~": operator.invert,
    }
    return _bounded(functions[op], operand)


def formatted(value: object, conversion: str, spec: str) -> str:
    """`{value!conversion:spec}`."""
    _check_widths(spec)
    converters: dict[str, Callable[[object], str]] = {"s": str, "r": repr, "a": ascii}
    text = converters[conversion](value) if conversion else value
    return str(_bounded(format, text, spec))


def subscript(value: object, key: object) -> object:
    """`value[key]`."""
    return _bounded(operator.getitem, value, key)


def method(owner: object, name: str, args: Sequence[object], keywords: Mapping[str, object]) -> object:
    """`owner.name(…)` for a method of a constant."""
    if isinstance(owner, bytes) and name == "decode":
        return _bounded(owner.decode, *args, **keywords)
    if not isinstance(owner, str) or name not in _STR_METHODS:
        raise NotFoldedError("")
    if name in ("format", "format_map"):
        _check_widths(owner)
        if re.search(r"\{[^{}]*[.\[]", owner):
            raise NotFoldedError("")
    if name in ("center", "ljust", "rjust", "zfill") and args and isinstance(args[0], int) and args[0] > MAX_LENGTH:
        raise NotFoldedError("")
    if name == "replace" and len(args) > 1 and isinstance(args[1], str) and len(owner) * len(args[1]) > MAX_LENGTH:
        raise NotFoldedError("")
    return _bounded(getattr(owner, name), *args, **keywords)


def function(name: str, args: Sequence[object]) -> object:
    """A call of a built-in function, or of one of the standard library, that only computes."""
    return _bounded(_FUNCTIONS.get(name), *args)


def can_call(name: str) -> bool:
    return name in _FUNCTIONS


def _run(compute: Callable[..., Any] | None, *args: object, **keywords: object) -> Any:
    if compute is None:
        raise NotFoldedError("")
    try:
        return compute(*args, **keywords)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, re.error) as error:
        raise NotFoldedError(str(error), _kind(error)) from error


def _kind(error: Exception) -> str:
    return type(error).__name__ if type(error).__module__ == "builtins" else "Exception"


def _bounded(compute: Callable[..., Any] | None, *args: object, **keywords: object) -> object:
    result = _run(compute, *args, **keywords)
    if isinstance(result, int) and abs(result) > MAX_NUMBER:
        raise NotFoldedError("")
    if isinstance(result, str | bytes | tuple | list) and len(result) > MAX_LENGTH:
        raise NotFoldedError("")
    return tuple(result) if isinstance(result, list) else result


def _check_repeat(left: object, right: object) -> None:
    for value, times in ((left, right), (right, left)):
        if isinstance(value, str | bytes | tuple) and isinstance(times, int) and len(value) * times > MAX_LENGTH:
            raise NotFoldedError("")


def _check_widths(spec: str) -> None:
    """Widths and precisions as large as memory are refused: `f"{x:1000000000}"`."""
    if re.search(r"\d{5,}|\*", spec):
        raise NotFoldedError("")
