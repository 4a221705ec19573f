"""From a tool's module and qualified name to its instance and its input. In: names. Out: the tool, or a RefusedError.

The same steps for a run and for the probe: import, class, instance, input; each failure says which step it was.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any

from lua_cli.child.failure import Frames, describe
from lua_cli.child.given import Input, SchemaError

_decode = json.JSONDecoder().decode  # held from here on: the tool may replace json's functions


class RefusedError(Exception):
    """A step that failed, as data: {"step": "import | class | instance | schema | input", …failure.describe}."""

    def __init__(self, step: str, **facts: Any) -> None:
        super().__init__(facts.get("message", ""))
        self.facts = {"step": step, **facts}


def load_class(module: str, qualname: str, frames: Frames) -> Any:
    """What stands at `module:qualname`. Raises RefusedError when the import fails or nothing stands there."""
    try:
        found: Any = _imported(module)
    except BaseException as error:  # user code runs at import: sys.exit() there is a failure like any other
        raise RefusedError("import", **describe(error, frames)) from error
    try:
        for part in qualname.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        place = {"path": _member(module, frames), "line": 1}
        raise RefusedError(
            "class", type="AttributeError", message=f"{module} has no {qualname} after its import", frames=[], **place
        ) from error
    return found


def _imported(module: str) -> Any:
    """A tool's module. Modules that import each other may only work when another of them comes first, as it does where
    the entry starts: what such a circle asks for is tried, and what was wrong at first is told when nothing helps.
    """
    try:
        return importlib.import_module(module)
    except (ImportError, AttributeError) as error:
        if "due to a circular import" not in str(error):
            raise
        for other in _begun(error, module):
            try:
                importlib.import_module(other)
                return importlib.import_module(module)
            except (ImportError, AttributeError):
                continue  # the first error is raised below
        raise


def _begun(error: BaseException, module: str) -> list[str]:
    """The other modules that were being imported when it was raised, the innermost first."""
    names, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name == "<module>":
            names.append(str(trace.tb_frame.f_globals.get("__name__", "")))
        trace = trace.tb_next
    return [name for name in dict.fromkeys(reversed(names)) if name not in ("", "__main__", module)]


def build(module: str, qualname: str, frames: Frames) -> Any:
    """The tool's instance: its class, built with no arguments."""
    kind = load_class(module, qualname, frames)
    from lua_cli.sdk.tool import LuaTool

    if not isinstance(kind, type) or not issubclass(kind, LuaTool):
        what = f"a {type(kind).__name__}" if not isinstance(kind, type) else f"{kind.__qualname__}, which is no LuaTool"
        path, line, decorators = _statement(module, qualname, frames)
        raise RefusedError(
            "class",
            type="TypeError",
            message=f"{qualname} is {what} {f'after {decorators}' if decorators else 'once its module is imported'}",
            hint="a decorator or a later assignment replaced the class: decorators of a tool must return the class",
            path=path,
            line=line,
            frames=[],
        )
    try:
        return kind()
    except BaseException as error:  # user code
        raise RefusedError("instance", **describe(error, frames)) from error


def input_kind(tool: Any, frames: Frames) -> Input:
    """What the tool takes. Raises RefusedError."""
    declared = getattr(tool, "input_schema", None)
    if isinstance(declared, Mapping):
        return Input("schema", declared, "input_schema")
    from lua_cli.child.schema import input_of  # brings `inspect` and its like

    try:
        return input_of(tool, frames)
    except SchemaError as error:
        raise schema_refusal(error, tool, frames) from error


def schema_refusal(error: SchemaError, tool: Any, frames: Frames) -> RefusedError:
    """A SchemaError as a RefusedError, placed in the user's file."""
    file, line = error.at or ("", None)
    path = frames.member(file) or _member(type(tool).__module__, frames)
    return RefusedError(
        "schema", type="SchemaError", message=error.message, hint=error.hint, path=path, line=line, frames=[]
    )


def instance_of(given: Input, text: str, frames: Frames) -> Any:
    """The input as `execute` gets it. Raises RefusedError (step "input") with every fault that the model finds."""
    if given.kind != "type":
        return _decode(text)
    from lua_cli.child.schema import validator_of

    validate = validator_of(given.given, frames)
    import pydantic

    try:
        return validate(text)
    except pydantic.ValidationError as error:
        raise RefusedError(
            "input", message="", faults=[_fault(item) for item in error.errors(include_url=False)]
        ) from error
    except Exception as error:  # a validator of the user's that raises what pydantic does not expect
        raise RefusedError("validator", **describe(error, frames)) from error


def _fault(item: Any) -> dict[str, Any]:
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return {"path": list(item["loc"]), "message": message, "type": item["type"]}


def _member(module: str, frames: Frames) -> str | None:
    import sys

    file = getattr(sys.modules.get(module), "__file__", None)
    return frames.member(file) if file else None


def _statement(module: str, qualname: str, frames: Frames) -> tuple[str | None, int, str]:
    """Where the class statement of a tool is: member, line, and its decorators as written."""
    import ast
    import linecache

    member = _member(module, frames)
    if member is None:
        return None, 1, ""
    tree = ast.parse("".join(linecache.getlines(frames.path(member))))
    wanted = qualname.rpartition(".")[2]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == wanted:
            return member, node.lineno, ", ".join(f"@{ast.unparse(decorator)}" for decorator in node.decorator_list)
    return member, 1, ""
