"""The input's text → a JSON value. In: text or bytes from anywhere. Out: the value, or an InputError with the place.

Stricter than Python's json: UTF-8, no NaN or Infinity, no number beyond a double, no duplicate keys, no half
surrogates, bounded in size and depth. Every refusal is quick, whatever the input.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False  # what type checkers take for true; `typing` alone costs a fifth of a bare Python
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES, MAX_DEPTH = 10 * 1024 * 1024, 100


class InputError(Exception):
    """Input that is not acceptable JSON. `path` is a JSON Pointer; `excerpt` shows the place in the text."""

    def __init__(self, message: str, *, path: str = "", hint: str | None = None, excerpt: str | None = None) -> None:
        super().__init__(message)
        self.message, self.path, self.hint, self.excerpt = message, path, hint, excerpt


class _Duplicate:
    """Stands for an object that has a key twice, until its path is known."""

    def __init__(self, key: str) -> None:
        self.key = key


def read_input(source: str | bytes) -> Any:
    """The value. Raises InputError."""
    text = _decoded(source)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _syntax(text, error, typed=isinstance(source, str)) from None
    except RecursionError:
        raise InputError(f"the input is nested deeper than {MAX_DEPTH} levels", hint="pass a flatter value") from None
    except ValueError as error:  # a whole number with thousands of digits
        raise InputError(f"the input has a number that is too long: {error}", hint="pass it as a string") from None
    _check(value)
    return value


def compact(value: Any) -> str:
    """A value as a child gets it."""
    return json.dumps(value)


def success(tool: str, output: Any, duration_ms: int, logs: str) -> dict[str, Any]:
    """What `lua test --json` prints of a run that gave an output."""
    return {"ok": True, "tool": tool, "output": output, "durationMs": duration_ms, "logs": logs}


def read_answer(text: str) -> Any:
    """The value that a child encoded. Its encoder bounds depth and size."""
    return json.loads(text)


def _decoded(source: str | bytes) -> str:
    limit = f"{MAX_BYTES // 1024**2} MiB"
    if len(source) > MAX_BYTES:
        raise InputError(f"the input is larger than {limit}", hint="tools take what a model can say, not files")
    if isinstance(source, bytes):
        try:
            return source.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"the input is not UTF-8 (byte {error.start})", hint="save it as UTF-8") from None
    try:
        size = len(source.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InputError(f"the input is not UTF-8 (character {error.start})", hint="save it as UTF-8") from None
    if size > MAX_BYTES:
        raise InputError(f"the input is larger than {limit}", hint="tools take what a model can say, not files")
    return source.removeprefix("\ufeff")


def _object(pairs: list[tuple[str, Any]]) -> Any:
    out = dict(pairs)
    if len(out) == len(pairs):
        return out
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Duplicate(key)
        seen.add(key)
    return out


def _no_constant(name: str) -> Any:
    raise InputError(f"the input has {name}, which JSON does not have", hint="use null, or leave the field out")


def _syntax(text: str, error: json.JSONDecodeError, *, typed: bool) -> InputError:
    """`typed`: the text stood on a command line, where the shell may have changed it."""
    if not text.strip():
        return InputError("the input is empty", hint="an empty object is {}")
    message = f"the input is not JSON: {_reason(error)} at line {error.lineno}, column {error.colno}"
    return InputError(message, hint=_advice(text, error, typed), excerpt=_excerpt(text, error))


def _reason(error: json.JSONDecodeError) -> str:
    words = error.msg
    return words[:1].lower() + words[1:]


def _advice(text: str, error: json.JSONDecodeError, typed: bool) -> str:
    at = text[error.pos : error.pos + 1]
    if at == "'" or text[:1] == "'":
        return 'JSON has double quotes: \'{"query": "refund policy"}\''
    if error.msg.startswith("Illegal trailing comma") or at in ("}", "]"):
        return "JSON has no comma after the last element"
    if not at.strip():
        return "the text ends before the value does"
    if text[:1] == "{" and at.isalpha():
        if typed and error.pos == 1:
            return 'the shell took the quotes: put the whole in single quotes, \'{"query": "refund policy"}\''
        return 'names and texts stand in double quotes: {"query": "refund policy"}'
    return "a file is passed as --input @FILE" if typed else "write one JSON object"


def _excerpt(text: str, error: json.JSONDecodeError, width: int = 72) -> str:
    """The line with a caret below, cut on both sides when it is long."""
    start = text.rfind("\n", 0, error.pos) + 1
    end = text.find("\n", error.pos)
    line = text[start : end if end >= 0 else len(text)]
    column = error.pos - start
    left = max(0, column - width // 2)
    shown = line[left : left + width]
    before, after = "… " if left else "", " …" if left + width < len(line) else ""
    clean = "".join(c if c.isprintable() else " " for c in shown)
    return f"  {before}{clean}{after}\n  {' ' * (len(before) + column - left)}^"


def _check(value: Any) -> None:
    """Depth, duplicates, numbers and text, without recursion."""
    stack: list[tuple[Any, str, int]] = [(value, "", 1)]
    while stack:
        item, path, depth = stack.pop()
        if isinstance(item, _Duplicate):
            raise InputError(f"the key {item.key!r} is there twice", path=path, hint="which of the two is meant?")
        if isinstance(item, str):
            _check_text(item, path)
        elif isinstance(item, float) and item in (float("inf"), float("-inf")):
            raise InputError("the number is beyond what a double can hold", path=path, hint="pass it as a string")
        elif isinstance(item, dict | list):
            if depth > MAX_DEPTH:
                raise InputError(f"the input is nested deeper than {MAX_DEPTH} levels", hint="pass a flatter value")
            if isinstance(item, dict):
                for key in item:
                    _check_text(key, path)
                stack += [(inner, f"{path}/{_escaped(key)}", depth + 1) for key, inner in reversed(item.items())]
            else:
                stack += [(inner, f"{path}/{position}", depth + 1) for position, inner in enumerate(item)]


def _check_text(text: str, path: str) -> None:
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        broken = f"U+{ord(text[error.start]):04X}"
        raise InputError(
            f"the text has half of a surrogate pair ({broken})", path=path, hint="it is no character"
        ) from None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
