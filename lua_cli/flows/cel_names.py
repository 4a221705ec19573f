"""Names that an expression does not know, in words that help. In: the name as the engine tells it, the expression, the
place. Out: a message and the place of the name. Knows names alone: the engine is that of cel.py.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

VARIABLES = ("body", "vars", "env", "eventID", "correlationID", "now")
MACROS = ("all", "exists", "exists_one", "existsOne", "map", "filter", "transformList")
FUNCTIONS = (
    "has", "size", "int", "uint", "double", "string", "bytes", "bool", "duration", "timestamp", "type", "dyn",
    "matches", "toJson", "fromJson", "toFormData", "fromFormData", "regexExtract", "templateResource",
)  # fmt: skip
METHODS = (
    "size", "contains", "startsWith", "endsWith", "matches", "getFullYear", "getMonth", "getDate", "getDayOfMonth",
    "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds", "charAt", "indexOf",
    "lastIndexOf", "lowerAscii", "upperAscii", "replace", "split", "substring", "trim", "join", "format", "reverse",
    "slice", "flatten", "distinct", "sort", "sortBy",
)  # fmt: skip
SPACES = {
    "lists": ("range",),
    "sets": ("contains", "equivalent", "intersects"),
    "math": (
        "greatest", "least", "ceil", "floor", "round", "trunc", "abs", "sign", "isInf", "isNaN", "isFinite", "bitAnd",
        "bitOr", "bitXor", "bitNot", "bitShiftLeft", "bitShiftRight", "sqrt",
    ),
    "base64": ("encode", "decode"),
    "strings": ("quote",),
}  # fmt: skip
_MESSAGES = {"data", "event", "input", "message", "msg", "payload", "request"}  # what others call it
_ARGUMENTS = "it takes other arguments"


def unknown_name(name: str, path: str, source: str, line: int, column: int) -> tuple[str, int, int]:
    """A message for `name` (with `path` after it), and where the name stands: of a call the engine tells the
    bracket, of a path the last dot.
    """
    lines = source.split("\n")
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    before = text[: column - 1].rstrip()
    if text[column - 1 : column] == "(" and before.endswith(name):
        return _call(name, before, line)
    if text[column - 1 : column] == ".":
        begin = re.search(rf"(?<![\w.]){re.escape(name)}(?:\s*\.\s*\w+)*$", before)
        column = begin.start() + 1 if begin else column
    if name in SPACES:
        found = re.match(rf"{name}\s*\.\s*(\w+)", text[column - 1 :])
        if found:
            near = _near(found[1], SPACES[name], prefix=f"{name}.") or f"there are: {', '.join(SPACES[name])}"
            said = _ARGUMENTS if found[1] in SPACES[name] else near
            return f"undeclared reference to '{name}.{found[1]}' ({said})", line, column
    macro = re.search(rf"\.\s*(\w+)\s*\(\s*{re.escape(name)}\s*,", source)
    if macro and macro[1] not in MACROS:
        said = _near(macro[1], MACROS)
        if said:
            at = macro.start(1)
            line, column = source.count("\n", 0, at) + 1, at - source.rfind("\n", 0, at)
            return f"undeclared reference to '{macro[1]}' ({said})", line, column
    if name in _MESSAGES and path:
        return f"undeclared reference to '{name}{path}' (the message is `body`: body{path})", line, column
    known = _near(name, (*VARIABLES, *SPACES)) or f'a text needs quotes of its own: "{name}{path}"'
    return f"undeclared reference to '{name}{path}' ({known})", line, column


def _call(name: str, before: str, line: int) -> tuple[str, int, int]:
    """A function or a method that is not there."""
    start = len(before) - len(name)
    method = before[:start].rstrip().endswith(".")
    if name in (METHODS if method else FUNCTIONS):
        said = _ARGUMENTS
    elif method and name in FUNCTIONS:
        said = f"it is no method: write {name}(…)"
    elif not method and name in METHODS:
        said = f"it is a method: write ….{name}(…)"
    else:
        options = (*METHODS, *MACROS) if method else FUNCTIONS
        said = _near(name, options) or f"there is no such {'method' if method else 'function'}: docs/flows.md"
    return f"undeclared reference to '{name}' ({said})", line, start + 1


def _near(name: str, options: Collection[str], prefix: str = "") -> str:
    near = difflib.get_close_matches(name, options, n=1)
    return f"did you mean `{prefix}{near[0]}`?" if near else ""
