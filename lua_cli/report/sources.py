"""The lines that a report shows. In: the project's root. Out: path → text, read when a frame needs it. Never fails: a
file that has gone, or that cannot be decoded, has no frame."""

from __future__ import annotations

import tokenize
from collections.abc import Callable
from functools import cache
from pathlib import Path

Sources = Callable[[str], str | None]


def disk_sources(root: Path) -> Sources:
    """Sources of a project: paths as diagnostics have them, relative to `root` or absolute."""

    @cache
    def text_of(path: str) -> str | None:
        try:
            if not (root / path).is_file():
                return None  # reading a pipe would wait for ever
            if path.endswith(".py"):
                with tokenize.open(root / path) as stream:
                    return stream.read()
            return (root / path).read_text("utf-8")
        except (OSError, SyntaxError, UnicodeDecodeError):
            return None

    return text_of
