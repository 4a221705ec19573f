"""A tool's input and output as JSON Schema (2020-12). In: a tool instance. Out: `Input`, or a SchemaError that says
what to change.

`input_schema` counts, else the annotation of `execute`'s first parameter. A dict is a JSON Schema, taken as given;
everything else is pydantic's to read: models, dataclasses, TypedDicts, any type it knows. pydantic is imported only
when it is needed.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any

from lua_cli.child.annotations import (
    class_statement,
    evaluated,
    function_of,
    input_annotation,
    undefined_name,
)
from lua_cli.child.failure import Frames
from lua_cli.child.generics import filled
from lua_cli.child.given import Input, SchemaError

_OPEN = (dict, object, Any, Mapping, typing.Mapping, typing.Dict)  # noqa: UP006  # the spelling users may have


def input_of(tool: Any, frames: Frames) -> Input:
    """What `tool.execute` takes. Raises SchemaError for an `input_schema` or an annotation that cannot be used."""
    declared = getattr(tool, "input_schema", None)
    if declared is None:
        annotation = input_annotation(tool, frames)
        if annotation is None or annotation in _OPEN or isinstance(annotation, typing.TypeVar):
            return Input("open", None, "")
        return Input("type", annotation, "annotation")
    if isinstance(declared, Mapping):  # load.py knows that one without this module
        return Input("schema", declared, "input_schema")
    if isinstance(declared, type) or typing.get_origin(declared) is not None:
        return Input("type", declared, "input_schema")
    raise SchemaError(
        f"input_schema is {_a(type(declared).__name__)}",
        "give a pydantic model, a TypedDict, a dataclass (the class, not an instance) or a JSON Schema as a dict",
    )


def json_schema(given: Input, frames: Frames) -> dict[str, Any] | None:
    """The schema that the model sees; None for an open input. Raises SchemaError."""
    if given.kind == "open":
        return None
    if given.kind == "schema":
        schema: Any = _plain(given.given)
    else:
        schema = _plain(_ask_pydantic(given.given, "validation", frames))
    schema = _inlined_root(schema)
    if schema.get("type", "object") != "object":
        raise SchemaError(
            f"the input is {_a(str(schema.get('type')))} in JSON, and a model can only pass an object",
            "wrap it: a pydantic model with one field",
        )
    return typing.cast("dict[str, Any]", schema)


def output_schema(tool: Any, frames: Frames) -> dict[str, Any] | None:
    """The schema of what `execute` returns when its return annotation is a model, a dataclass or a TypedDict; else
    None.
    """
    function = inspect.unwrap(function_of(tool))
    try:
        annotation = filled(evaluated(function, "return", type(tool)), type(tool), "execute")
    except Exception:  # noqa: BLE001  # user code; a return annotation need not be known at run time
        return None
    if not (
        isinstance(annotation, type)
        and (is_model(annotation) or dataclasses.is_dataclass(annotation) or typing.is_typeddict(annotation))
    ):
        return None
    try:
        return typing.cast("dict[str, Any]", _inlined_root(_plain(_ask_pydantic(annotation, "serialization", frames))))
    except SchemaError:
        return None


def is_model(kind: object) -> bool:
    """Whether `kind` is a pydantic model class."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(kind, type) and issubclass(kind, pydantic.BaseModel)


def _ask_pydantic(kind: Any, mode: str, frames: Frames) -> Any:
    adapter, errors = adapter_of(kind, frames)
    from lua_cli.child.generator import Generator

    try:
        return adapter.json_schema(by_alias=True, mode=mode, schema_generator=Generator)
    except (errors.PydanticUserError, errors.PydanticInvalidForJsonSchema) as error:
        raise SchemaError(_first_line(error), "change the field's type, or give a JSON Schema as a dict") from error


def validator_of(kind: Any, frames: Frames) -> Callable[[str], Any]:
    """What makes an instance of a type from JSON. A model that is complete has that itself. Raises SchemaError."""
    if is_model(kind) and kind.__pydantic_complete__:
        return typing.cast("Callable[[str], Any]", kind.model_validate_json)
    adapter, _ = adapter_of(kind, frames)
    return typing.cast("Callable[[str], Any]", adapter.validate_json)


def adapter_of(kind: Any, frames: Frames) -> tuple[Any, Any]:
    """pydantic's adapter for a type, and pydantic's errors module. Raises SchemaError."""
    try:
        import pydantic
        from pydantic import errors
    except ImportError as error:
        raise SchemaError(
            f"pydantic is not installed for {sys.executable}, and this schema needs it",
            f"{sys.executable} -m pip install pydantic, or give a JSON Schema as a dict",
        ) from error
    from lua_cli.child.typeddict import readable

    try:
        if is_model(kind):
            kind.model_rebuild()
        return pydantic.TypeAdapter(readable(kind)), errors
    except errors.PydanticUndefinedAnnotation as error:
        raise undefined_name(str(error.name), _file_of(kind), frames, None) from error
    except errors.PydanticSchemaGenerationError as error:
        raise _unreadable(kind, error, frames) from error
    except errors.PydanticUserError as error:
        name = _undefined_name(kind)
        if name is not None:
            raise undefined_name(name, _file_of(kind), frames, None) from error
        raise SchemaError(_first_line(error), "see the pydantic documentation: " + _link(error)) from error


def _unreadable(kind: Any, error: Exception, frames: Frames) -> SchemaError:
    """A type that pydantic cannot read; of the user's own plain class it is said what it lacks."""
    file, line = class_statement(kind, frames)
    if line is None:
        what = _first_line(error).partition(". ")[0]
        return SchemaError(what, "use a type that pydantic knows, or give a JSON Schema as a dict")
    bases = [base.__name__ for base in kind.__bases__ if base is not object]
    derives = f"it derives from {', '.join(bases)} alone" if bases else "it derives from nothing"
    return SchemaError(
        f"`{kind.__name__}` is a plain class, and pydantic cannot read its fields: {derives}",
        f"`class {kind.__name__}({', '.join([*bases, 'BaseModel'])}):` with `from pydantic import BaseModel`, "
        "or make it a dataclass or a TypedDict",
        (file, line),
    )


def _undefined_name(kind: Any) -> str | None:
    """The name that a class without a complete definition waits for."""
    if not is_model(kind):
        return None
    try:
        kind.model_rebuild(force=True)
    except Exception as error:  # noqa: BLE001  # only its name is wanted
        return getattr(error, "name", None)
    return None


def _file_of(kind: Any) -> str:
    module = sys.modules.get(getattr(kind, "__module__", ""))
    return getattr(module, "__file__", None) or ""


def _inlined_root(schema: Any) -> Any:
    """A root that is only a reference (a recursive model) becomes the object itself: providers want an object there."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        return schema
    rest = {key: value for key, value in schema.items() if key != "$ref"}
    return {**schema["$defs"][reference.removeprefix("#/$defs/")], **rest}


def _plain(schema: Any) -> Any:
    """The schema as JSON has it. Raises SchemaError for a value in it that is none (a default of NaN, a function)."""
    import json

    from lua_cli.child.encode import NotJsonError, encode

    try:
        plain = json.loads(encode(schema))
    except NotJsonError as error:
        hint = "a schema is JSON: give the field another default, or none"
        raise SchemaError(f"the schema is not JSON: {error.path} {error.what}", hint) from error
    if not isinstance(plain, dict):
        raise SchemaError("the schema is not an object", "give a JSON Schema as a dict")
    return plain


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


def _link(error: Any) -> str:
    return f"https://errors.pydantic.dev/latest/u/{getattr(error, 'code', None) or 'index'}"


def _a(word: str) -> str:
    return ("an " if word[:1] in "aeiou" else "a ") + word
