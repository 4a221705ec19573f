"""JSON as `json` reads and writes it, without what `json` loads: `re` alone costs a third of a bare Python, and the
commands that answer within two of them keep what they know as JSON.

In: text, or values. Out: the other. `_json` is the part of `json` that is written in C; where a Python has none, `json`
does the same. Imports nothing of the product.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from typing import Any

_c: Any
try:
    import _json as _c
except ImportError:  # not CPython
    _c = None

_BLANK = " \t\n\r"
_NUMBERS = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}


class _Reading:
    """What the scanner asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _NUMBERS.__getitem__


def loads(content: str | bytes) -> Any:
    """The value of a document in UTF-8. Raises ValueError, RecursionError."""
    text = content if isinstance(content, str) else content.decode("utf-8", "surrogatepass")
    if _c is None:
        import json

        return json.loads(text)
    text = text.strip(_BLANK)
    try:
        value, end = _c.make_scanner(_Reading)(text, 0)
    except StopIteration as error:
        raise ValueError(f"no JSON at {error.value}") from None
    except SystemError:  # CPython 3.11 looks for its error in `json.decoder`, which is not loaded
        raise ValueError("no JSON") from None
    if end != len(text):
        raise ValueError(f"more than one value, at {end}")
    return value


def dumps(value: object, *, compact: bool = False, ascii_only: bool = True) -> str:
    """The document of a value, on one line. Raises ValueError for what JSON cannot say, TypeError for what it does not
    know.
    """
    separators = (":", ",") if compact else (": ", ", ")
    if _c is None:
        import json

        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, separators=(separators[1], separators[0]))
    encode = _c.encode_basestring_ascii if ascii_only else _c.encode_basestring
    if isinstance(value, str):
        return str(encode(value))
    encoder = _c.make_encoder({}, _refuse, encode, None, *separators, False, False, False)
    return "".join(encoder(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"JSON has no {type(value).__name__}")
