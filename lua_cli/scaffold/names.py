"""Names of projects: what may be one, and one from a folder's name."""

from __future__ import annotations

import re
import unicodedata

from lua_cli.errors import UsageError

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MOST = 64


def checked_name(name: str) -> str:
    """`name`, when a project may have it: the normal form of a distribution's name. Raises UsageError otherwise."""
    if _NAME.fullmatch(name) and len(name) <= MOST:
        return name
    near = _slug(name)
    hint = "lowercase letters and digits, with single hyphens between them" + (f"; for example {near}" if near else "")
    raise UsageError(f"{name!r} cannot be the name of a project", hint=hint)


def name_from_folder(folder: str) -> str:
    """A name made of a folder's. Raises UsageError when nothing of it can be used."""
    name = _slug(folder)
    if not name:
        raise UsageError(f"the folder {folder!r} gives no name for the project", hint="name it with --name my-agent")
    return name


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:MOST].rstrip("-")
