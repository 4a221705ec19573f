"""The functions that flows have beside CEL's own. In: the engine's module, who renders templates. Out: declarations.

Each has one overload for each type: a function with a parameter of any type is never found. What they raise becomes an
error of the expression.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

from lua_cli.flows.cel_values import NotJsonError, from_cel, to_cel
from lua_cli.flows.json_text import as_text, compact, each_once, strict_json


def declarations(cel: Any, render: Callable[[str], str]) -> list[Any]:
    """toJson, fromJson, toFormData, fromFormData, regexExtract, templateResource."""
    kinds = cel.Type
    table = kinds.Map(kinds.DYN, kinds.DYN)
    any_kind = (
        kinds.STRING, kinds.INT, kinds.UINT, kinds.DOUBLE, kinds.BOOL, kinds.NULL, kinds.BYTES,
        kinds.TIMESTAMP, kinds.DURATION, kinds.List(kinds.DYN), table,
    )  # fmt: skip

    def declare(name: str, result: Any, work: Callable[..., Any], *signatures: tuple[Any, ...]) -> Any:
        overloads = [
            cel.Overload(f"{name}_{number}", result, list(signature), impl=work)
            for number, signature in enumerate(signatures)
        ]
        return cel.FunctionDecl(name, overloads)

    return [
        declare("toJson", kinds.STRING, _to_json, *((kind,) for kind in any_kind)),
        declare("fromJson", kinds.DYN, _from_json, (kinds.STRING,)),
        declare("toFormData", kinds.STRING, _to_form, (table,)),
        declare("fromFormData", table, _from_form, (kinds.STRING,)),
        declare("regexExtract", kinds.STRING, _extract, (kinds.STRING, kinds.STRING)),
        declare("templateResource", kinds.STRING, render, (kinds.STRING,)),
    ]


def _to_json(value: Any) -> str:
    try:
        return compact(from_cel(value))
    except NotJsonError as error:
        raise ValueError(f"toJson: {error}") from None


def _from_json(text: str) -> Any:
    try:
        found = strict_json(text)
        json.dumps(found, ensure_ascii=False).encode()  # half of a character is nothing that a text can hold
        return to_cel(found).value
    except (ValueError, RecursionError) as error:
        raise ValueError(f"fromJson: it is no JSON ({error})") from None


def _to_form(fields: dict[Any, Any]) -> str:
    return urlencode({str(key): as_text(item) for key, item in sorted(from_cel(fields).items())})


def _from_form(text: str) -> dict[str, str]:
    try:
        return each_once(parse_qsl(text, keep_blank_values=True))
    except ValueError as error:
        raise ValueError(f"fromFormData: {error}") from None


def _extract(text: str, pattern: str) -> str:
    """The first group of the first match (the whole match without groups); "" without a match."""
    try:
        found = re.search(pattern, text)
    except re.error as error:
        raise ValueError(f"regexExtract: no regular expression ({error})") from None
    if found is None:
        return ""
    return (found[1] if found.re.groups else found[0]) or ""
