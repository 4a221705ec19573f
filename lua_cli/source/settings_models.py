"""Variables that a class of pydantic-settings reads: one for each of its fields.

In: a class statement, its bases as dotted names. Out: names, and whether a default stands beside them. The names are
those of the library's rules: the prefix and the field in capitals, or the field's aliases as they are written.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import Final

from lua_cli.source.spans import Span, span_of

BASES: Final = frozenset({"pydantic_settings.BaseSettings", "pydantic.BaseSettings", "pydantic.v1.BaseSettings"})


def variables_of(statement: ast.ClassDef) -> Iterator[tuple[str, Span, bool]]:
    """(name, where, has a default) of each field."""
    options = _options(statement)
    prefix = options.get("env_prefix", "")
    exact = options.get("case_sensitive") is True
    for node in statement.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=field), value=value) if _is_field(field, node.annotation):
                aliases = _aliases(value)
                name = f"{prefix if isinstance(prefix, str) else ''}{field}"
                for one in aliases or [name if exact else name.upper()]:
                    yield one, span_of(node.target), len(aliases) > 1 or _has_default(value)


def _is_field(name: str, annotation: ast.expr) -> bool:
    return not name.startswith("_") and name != "model_config" and "ClassVar" not in ast.unparse(annotation)


def _options(statement: ast.ClassDef) -> dict[str, object]:
    """Constants of `model_config`, of a class `Config`, and of the class statement itself."""
    found: list[ast.keyword] = list(statement.keywords)
    out: dict[str, object] = {}
    for node in statement.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Call(keywords=keywords)):
                found += keywords
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Dict(keys=keys, values=values)):
                out |= {
                    str(key.value): value.value
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
                }
            case ast.ClassDef(name="Config", body=body):
                for inner in body:
                    match inner:
                        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=constant)):
                            out[name] = constant
    return out | {k.arg: k.value.value for k in found if k.arg and isinstance(k.value, ast.Constant)}


def _aliases(value: ast.expr | None) -> Sequence[str]:
    """`Field(validation_alias="CRM_TOKEN")`, `Field(validation_alias=AliasChoices("A", "B"))`, `Field(alias="A")`."""
    if not isinstance(value, ast.Call):
        return ()
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    alias = given.get("validation_alias", given.get("alias"))
    if alias is None:
        return ()
    return [n.value for n in ast.walk(alias) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def _has_default(value: ast.expr | None) -> bool:
    match value:
        case None | ast.Constant(value=builtins.Ellipsis):
            return False
        case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), args=args, keywords=keywords):
            given = [*args[:1], *(k.value for k in keywords if k.arg in ("default", "default_factory"))]
            return bool(given) and _has_default(given[0])
    return True
