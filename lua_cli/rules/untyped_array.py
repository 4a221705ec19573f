"""An input has a list of which nobody says what is in it.

`tags: list` becomes an array without `items` in the schema. OpenAI and Gemini refuse the whole request for one such
array, and other models guess what to put in. `list[Any]` says no more.

What to do: say what the elements are: `list[str]`, or a list of a model.

Bad:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Filter(BaseModel):
    tags: list


class FindArticles(LuaTool[Filter]):
    name = "find_articles"
    description = "Find articles by their tags. Use when the customer asks what there is on a subject."
    input_schema = Filter

    def execute(self, input: Filter) -> list[str]:
        return []
```

Good:

```python
from pydantic import BaseModel

from lua_cli import LuaTool


class Filter(BaseModel):
    tags: list[str]


class FindArticles(LuaTool[Filter]):
    name = "find_articles"
    description = "Find articles by their tags. Use when the customer asks what there is on a subject."
    input_schema = Filter

    def execute(self, input: Filter) -> list[str]:
        return []
```
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, RegisteredTool, short
from lua_cli.rules.judging.toplevel import TopLevel
from lua_cli.source import ir
from lua_cli.source.lowering import lower
from lua_cli.source.words import Words

CODE: Final = "lua/untyped-array"
SEVERITY: Final = "warning"

_ARRAYS = frozenset({"list", "tuple", "set", "frozenset", "deque", "Sequence", "Iterable", "Collection"})
_ANYTHING = frozenset({"typing.Any", "object"})
_WORDS = Words(("list", "tuple", "set", "frozenset", "deque", "sequence", "iterable", "collection"))  # in lower case


def check(context: Context) -> Iterator[Diagnostic]:
    models = _Models(context)
    for tool in context.tool_classes:
        schema = tool.info.attributes["input_schema"]
        if schema.state == "known" and isinstance(schema.value, dict):
            for pointer in _arrays_without_items(schema.value, ""):
                message = f"the array at `{pointer or '/'}` of the input of {short(tool.info.dotted)} has no `items`"
                place = context.place_of(schema, tool)
                yield Diagnostic(
                    CODE, SEVERITY, message, place, help='say what is in it: `"items": {"type": "string"}`'
                )
        else:
            for found in models.fields(_model(tool)):
                message = f"`{found.model}.{found.field}` does not say what is in it"
                place = context.place(found.module, found.annotation.span)
                yield Diagnostic(
                    CODE, SEVERITY, message, place, help="say what the elements are, for example `list[str]`"
                )


def _model(tool: RegisteredTool) -> str | None:
    """The dotted name of the class that says what the input is."""
    schema = tool.info.attributes["input_schema"]
    if schema.state == "reference":
        return str(schema.value)
    annotation, owner = tool.info.input_annotation, tool.info.attributes["execute"].owner
    if schema.state != "missing" or annotation is None or not annotation.isidentifier():
        return None
    return f"{owner.rpartition('.')[0] if owner else tool.info.module}.{annotation}"


def _arrays_without_items(schema: object, pointer: str) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array" and not ({"items", "prefixItems"} & schema.keys()):
        yield pointer
    for key in ("properties", "$defs", "definitions"):
        nested = schema.get(key)
        for name, value in nested.items() if isinstance(nested, dict) else ():
            yield from _arrays_without_items(value, f"{pointer}/{key}/{name}")
    for key in ("items", "additionalProperties"):
        yield from _arrays_without_items(schema.get(key), f"{pointer}/{key}")
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        nested = schema.get(key)
        for position, value in enumerate(nested) if isinstance(nested, list) else ():
            yield from _arrays_without_items(value, f"{pointer}/{key}/{position}")


class _Untyped(NamedTuple):
    """A field without an element type, and where it is."""

    module: str
    model: str
    field: str
    annotation: ir.Expr


class _Models:
    """The classes that inputs are made of, as far as they are the project's own; each is looked at once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._seen: set[str] = set()

    def fields(self, dotted: str | None) -> Iterator[_Untyped]:
        """Those of the model, of its bases and of the models that its fields name."""
        pending = [dotted] if dotted else []
        while pending:
            current = pending.pop()
            if current in self._seen:
                continue
            self._seen.add(current)
            known = self._context.analysis.classes.get(current)
            if known is not None and known.plain_fields and known.mro is not None:
                pending += known.mro[1:]
                continue
            found = self._class(current)
            if found is None:
                continue
            module, node = found
            pending += [name for base in node.bases if not base.keyword for name in _named(base.value, module)]
            for field in node.body:
                if not isinstance(field, ir.Annotate) or not _is_field(field, module):
                    continue
                annotation = _evaluated(field.annotation)
                pending += _named(annotation, module)
                if _untyped(annotation, module) and isinstance(field.target, ir.Name):
                    yield _Untyped(module.dotted, node.name, field.target.id, field.annotation)

    def _class(self, dotted: str) -> tuple[TopLevel, ir.Class] | None:
        module_name, _, name = dotted.rpartition(".")
        path = self._context.analysis.modules.get(module_name)
        if path is None or not _WORDS.stand_in(self._context.glance(path).lower()):
            return None
        module = self._context.top_level(module_name)
        for node in module.body if module else ():
            if module and isinstance(node, ir.Class) and node.name == name:
                return module, node
        return None


def _is_field(node: ir.Annotate, module: TopLevel) -> bool:
    outer = node.annotation.value if isinstance(node.annotation, ir.Subscript) else node.annotation
    name = node.target.id if isinstance(node.target, ir.Name) else "_"
    return not name.startswith("_") and name != "model_config" and module.meaning(outer) != "typing.ClassVar"


def _evaluated(annotation: ir.Expr) -> ir.Expr:
    """An annotation in quotes, without them."""
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str):
        try:
            (statement,) = lower(ast.parse(annotation.value.strip()), annotation.value).body
        except (SyntaxError, ValueError):
            return annotation
        return statement.value if isinstance(statement, ir.Do) else annotation
    return annotation


def _untyped(annotation: ir.Expr, module: TopLevel) -> bool:
    """Whether the annotation holds, at any depth, an array of which no element type is said."""
    match annotation:
        case ir.Subscript(value=value, key=key):
            elements = key.items if isinstance(key, ir.Display) else (key,)
            if _is_array(value, module) and any(module.meaning(element) in _ANYTHING for element in elements):
                return True
            if module.meaning(value) in ("typing.Annotated", "typing_extensions.Annotated"):
                elements = elements[:1]
            return any(_untyped(element, module) for element in elements)
        case ir.Operation(op="|", operands=operands):
            return any(_untyped(operand, module) for operand in operands)
    return _is_array(annotation, module)


def _is_array(node: ir.Expr, module: TopLevel) -> bool:
    origin, _, name = (module.meaning(node) or "").rpartition(".")
    return origin in ("", "typing", "collections", "collections.abc", "builtins") and (
        name in _ARRAYS or name.lower() in _ARRAYS
    )


def _named(node: ir.Expr, module: TopLevel) -> list[str]:
    """The dotted names in an expression: of the module itself where its imports do not bind them."""
    names = [part for part in _parts(node) if isinstance(part, ir.Name | ir.Attr)]
    return [module.meaning(name) or f"{module.dotted}.{name.id}" for name in names if isinstance(name, ir.Name)] + [
        meaning for name in names if isinstance(name, ir.Attr) and (meaning := module.meaning(name))
    ]


def _parts(node: object) -> Iterator[object]:
    """An expression and everything in it."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, tuple):
            yield current
            pending += current
