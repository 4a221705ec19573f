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
import re
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context, RegisteredTool, short
from lua_cli.rules.judging.toplevel import TopLevel

CODE: Final = "lua/untyped-array"
SEVERITY: Final = "warning"

_ARRAYS = frozenset({"list", "tuple", "set", "frozenset", "deque", "Sequence", "Iterable", "Collection"})
_ANYTHING = frozenset({"typing.Any", "object"})
_WORDS = re.compile(r"\b(?i:list|tuple|set|frozenset|deque|sequence|iterable|collection)\b")


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
            for module, name, field in models.fields(_model(tool)):
                message = f"`{name}.{field.target.id}` does not say what is in it"  # type: ignore[union-attr]
                help_ = "say what the elements are, for example `list[str]`"
                yield Diagnostic(CODE, SEVERITY, message, module.place(field.annotation), help=help_)


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


class _Models:
    """The classes that inputs are made of, as far as they are the project's own; each is looked at once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._modules: dict[str, TopLevel | None] = {}
        self._seen: set[str] = set()

    def fields(self, dotted: str | None) -> Iterator[tuple[TopLevel, str, ast.AnnAssign]]:
        """The fields without an element type, in the model, its bases and the models that its fields name."""
        pending = [dotted] if dotted else []
        while pending:
            current = pending.pop()
            found = self._class(current) if current not in self._seen else None
            self._seen.add(current)
            if found is None:
                continue
            module, node = found
            own = current.rpartition(".")[0]
            pending += [name for base in node.bases for name in _named(base, module, own)]
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and _is_field(field):
                    annotation = _evaluated(field.annotation)
                    if _untyped(annotation, module):
                        yield module, node.name, field
                    pending += _named(annotation, module, own)

    def _class(self, dotted: str) -> tuple[TopLevel, ast.ClassDef] | None:
        module_name, _, name = dotted.rpartition(".")
        path = self._context.analysis.modules.get(module_name)
        if path is None:
            return None
        if module_name not in self._modules:
            text = self._context.text(path)
            self._modules[module_name] = TopLevel.read(path, text) if _WORDS.search(text) else None
        module = self._modules[module_name]
        for node in module.tree.body if module else ():
            if module and isinstance(node, ast.ClassDef) and node.name == name:
                return module, node
        return None


def _is_field(node: ast.AnnAssign) -> bool:
    named = (
        isinstance(node.target, ast.Name) and not node.target.id.startswith("_") and node.target.id != "model_config"
    )
    return named and not ast.unparse(node.annotation).lstrip("'\"").startswith(("ClassVar", "typing.ClassVar"))


def _evaluated(annotation: ast.expr) -> ast.expr:
    """An annotation in quotes, without them."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return annotation
    return annotation


def _untyped(annotation: ast.expr, module: TopLevel) -> bool:
    """Whether the annotation holds, at any depth, an array of which no element type is said."""
    match annotation:
        case ast.Subscript(value=value, slice=inner):
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            if _is_array(value, module):
                return any(module.dotted(element) in _ANYTHING for element in elements) or any(
                    _untyped(element, module) for element in elements
                )
            if (module.dotted(value) or "").endswith("Annotated"):
                elements = elements[:1]
            return any(_untyped(element, module) for element in elements)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _untyped(left, module) or _untyped(right, module)
    return _is_array(annotation, module)


def _is_array(node: ast.expr, module: TopLevel) -> bool:
    dotted = module.dotted(node) or ""
    origin, _, name = dotted.rpartition(".")
    return origin in ("", "typing", "collections", "collections.abc", "builtins") and (
        name in _ARRAYS or name.lower() in _ARRAYS
    )


def _named(node: ast.expr, module: TopLevel, own: str) -> list[str]:
    """The dotted names in an expression: of the module itself where its imports do not bind them."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [module.dotted(name) or f"{own}.{name.id}" for name in names]
