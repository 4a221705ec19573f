"""Recorded HTTP on disk. In: exchanges of a run, a file. Out: a JSON document without secrets; and back.

Request headers are not kept. Secrets among the tool's variables are written as ***, which stands for anything when it
is played.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lua_cli.errors import LuaError, UsageError


def write_recording(path: Path, exchanges: Sequence[Any], mask: Callable[[str], str]) -> None:
    """Write the file anew. Raises LuaError when it cannot be written."""
    text = mask(json.dumps({"exchanges": list(exchanges)}, indent=2, ensure_ascii=False))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise LuaError(
            f"cannot write {path}: {error.strerror}", hint="`http` names a file beside the case file"
        ) from error


def read_recording(path: Path) -> list[Any]:
    """The exchanges of a file. Raises UsageError when it is not there or is no recording."""
    try:
        document = json.loads(path.read_bytes())
        exchanges = [one for one in document["exchanges"] if one["request"]["url"] and one["response"]["status"]]
    except FileNotFoundError:
        raise UsageError(f"no recording {path}", hint="make it with the network: lua test --record") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} is no recording ({type(error).__name__})", hint="lua test --record makes it anew"
        ) from error
    return exchanges
