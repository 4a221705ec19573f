"""Annotations of `execute`, evaluated one at a time. In: a tool instance. Out: the type, or a SchemaError that names
what is missing.

Works with `from __future__ import annotations`, with names of the class body, and through decorators that kept
`__wrapped__`.
"""

from __future__ import annotations

import inspect
import os
import sys
import typing
from typing import Any

from lua_cli.child.failure import Frames
from lua_cli.child.generics import filled
from lua_cli.child.given import SchemaError


def input_annotation(tool: Any, frames: Frames) -> Any:
    function = inspect.unwrap(function_of(tool))
    name = _first_parameter(tool)
    if name is None:
        return None
    try:
        return filled(evaluated(function, name, type(tool)), type(tool), "execute")
    except NameError as error:
        raise undefined_name(
            error.name or str(error), function.__code__.co_filename, frames, _line_of(function)
        ) from error
    except Exception as error:  # user code: an annotation may be any expression
        raise SchemaError(
            f"the annotation of `{name}` cannot be evaluated: {type(error).__name__}: {error}",
            "set input_schema instead",
            (function.__code__.co_filename, _line_of(function)),
        ) from error


def function_of(tool: Any) -> Any:
    """The plain function behind `tool.execute`, through methods, partials and staticmethods."""
    function = tool.execute
    while True:
        if inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "func") and hasattr(function, "keywords"):
            function = function.func
        else:
            return function


def _first_parameter(tool: Any) -> str | None:
    try:
        signature = inspect.signature(tool.execute)
    except (ValueError, TypeError):
        return None
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            return parameter.name
    return None


def evaluated(function: Any, name: str, kind: type) -> Any:
    """One annotation of a function, without touching the others: a name that only the return annotation uses may be
    unknown.
    """
    annotations = _annotations(function)
    if name not in annotations:
        return None

    class _Holder:
        __annotations__ = {name: annotations[name]}

    names: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        names.update(vars(base))
    return typing.get_type_hints(_Holder, getattr(function, "__globals__", {}), names, include_extras=True)[name]


def _annotations(function: Any) -> dict[str, Any]:
    if sys.version_info >= (3, 14):
        import annotationlib

        found = annotationlib.get_annotations(function, format=annotationlib.Format.FORWARDREF)
        return dict(found)
    return dict(getattr(function, "__annotations__", {}))


def _line_of(function: Any) -> int:
    return int(function.__code__.co_firstlineno)


def class_statement(kind: Any, frames: Frames) -> tuple[str, int | None]:
    """Where the user's class statement of a class is: its file and line; no line for what is none of the user's."""
    import ast

    file = getattr(sys.modules.get(getattr(kind, "__module__", "")), "__file__", None) or ""
    if not isinstance(kind, type) or frames.member(file) is None:
        return file, None
    with open(file, encoding="utf-8") as source:  # noqa: PTH123
        tree = ast.parse(source.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            return file, node.lineno
    return file, None


def undefined_name(name: str, file: str, frames: Frames, line: int | None) -> SchemaError:
    hint = type_checking_hint(file, name, frames)
    if hint:
        import re

        found = re.search(r":(\d+)", hint)
        return SchemaError(
            f"`{name}` is imported only under TYPE_CHECKING, and it is needed at run time for the schema",
            hint,
            (file, int(found[1]) if found else line or 1),
        )
    return SchemaError(
        f"`{name}` is not defined where the schema needs it",
        "define or import it at the top of the module",
        (file, line) if line else None,
    )


def type_checking_hint(file: str, name: str, frames: Frames) -> str | None:
    """What to do when `name` is imported under `if TYPE_CHECKING:` in a file; None when it is not."""
    import ast

    try:
        with open(file, encoding="utf-8") as source:  # noqa: PTH123
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return None
    for block in ast.walk(tree):
        if not (isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")):
            continue
        for statement in block.body:
            names = getattr(statement, "names", [])
            if any((alias.asname or alias.name).split(".")[0] == name for alias in names):
                where = f"{frames.member(file) or os.path.basename(file)}:{statement.lineno}"  # noqa: PTH119
                return f"move `{ast.unparse(statement)}` ({where}) out of `if TYPE_CHECKING:`"
    return None
