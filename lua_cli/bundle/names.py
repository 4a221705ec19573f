"""Names of an artifact's members, and of the artifact files themselves.

In: text. Out: a reason why not, or a safe name. Touches no disk. A member name must mean the same file on every system:
what one file system folds together or forbids is refused everywhere.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator

from lua_cli.bundle.canonical import MANIFEST_NAME as MANIFEST_NAME

SUFFIX = ".luapkg"

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[ ]*\..*)?", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PART_BYTES, _NAME_BYTES = 255, 1024


def name_problem(name: str) -> str | None:
    """Why `name` cannot be a member; None when it can: relative, with `/`, and valid on Linux, macOS and Windows."""
    try:
        encoded = name.encode("utf-8")
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if not name:
        return "is empty"
    if len(encoded) > _NAME_BYTES:
        return f"is longer than {_NAME_BYTES} bytes"
    if name.startswith("/"):
        return "is absolute"
    found = _FORBIDDEN.search(name)
    if found:
        return f"has the character {found[0]!r}, which not every system allows in a file name"
    for part in name.split("/"):
        problem = _part_problem(part)
        if problem:
            return problem
    return None


def _part_problem(part: str) -> str | None:
    if part == "":
        return "has an empty part"
    if part in (".", ".."):
        return f"has the part {part!r}"
    if part[-1] in ". ":
        return f"has the part {part!r}, whose last character Windows drops"
    if len(part.encode("utf-8")) > _PART_BYTES:
        return f"has a part that is longer than {_PART_BYTES} bytes"
    if _RESERVED.fullmatch(part):
        return f"has the part {part!r}, which is a device on Windows"
    return None


def folded(name: str) -> str:
    """The form in which names that some file system takes for the same are equal (letter case, Unicode composition)."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def collisions(names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Pairs of names that cannot both exist on every system, and why. Folders count: `A/x` and `a/y` collide."""
    spelled: dict[str, tuple[str, str]] = {}  # folded path → (its spelling, the first member with it)
    files: dict[str, str] = {}
    for name in sorted(names):  # a file sorts before what lies in a folder of its name
        parts = name.split("/")
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            key = folded(path)
            known, member = spelled.setdefault(key, (path, name))
            if known != path:
                yield member, name, "differ only in letter case or Unicode form"
                break
            if key in files:
                what = "are the same name" if depth == len(parts) else "take one name for a file and a folder"
                yield files[key], name, what
                break
        else:
            files[key] = name


def artifact_file_name(skill: str) -> str:
    """The file name of a skill's artifact: `orders` is `orders.luapkg`.

    A name that some system would fold, forbid or cut gets a readable form and a short hash, joined by a dot, which
    plain names do not have: no two skills share a file anywhere.
    """
    if _PLAIN.fullmatch(skill) and not _RESERVED.fullmatch(skill):
        return skill + SUFFIX
    text = unicodedata.normalize("NFKD", skill).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:40] or "skill"
    if _RESERVED.fullmatch(slug):
        slug = f"skill-{slug}"
    return f"{slug}.{hashlib.sha256(skill.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}{SUFFIX}"
