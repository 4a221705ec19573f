"""Makes a build current: a folder of its own, written whole, and one rename (output.py has the picture).

In: the output folder, the files of a build by name: their bytes, what gives them in parts (so that not all are there at
once), or the path of one that lies there from before. Out: the folder of the current build. Raises OSError; the current
build is then what it was. Paths are texts here: `pathlib` costs more to load than all this takes.
"""

from __future__ import annotations

import os
import time

from lua_cli.bundle.disk import discard, read_whole, sync_folder

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Content = bytes | str | Callable[[], Iterable[bytes]]

PUBLISHED, BUILDS, _NEXT = "artifacts", "builds", "next"
_KEPT_SECONDS = 60.0


def publish(output: str, files: Mapping[str, Content], *, alone: bool) -> str | None:
    """Make these files the current build; gives its folder. What is current already is left alone. `alone`: no other
    process is at it.
    """
    builds = os.path.join(output, BUILDS)
    os.makedirs(builds, exist_ok=True)
    before = current(output)
    if before is not None and os.path.lexists(os.path.join(output, PUBLISHED)) and _holds(before, files):
        return before
    new = os.path.join(builds, os.urandom(8).hex())
    try:
        _write(new, files)
        _exchange_for(output, new)
    except BaseException:
        if current(output) != new:
            discard(new)
        raise
    try:
        sync_folder(output)
        if alone:  # without locks, another process may be about to publish what looks like a leftover
            _remove_old(output, just_replaced=before)
    except OSError:
        pass  # the new build is current: nothing that fails from here on takes that back
    return current(output)


def current(output: str) -> str | None:
    """The folder of the current build, free of links, so that what is read in it belongs together."""
    published = os.path.join(output, PUBLISHED)
    try:
        target = os.readlink(published)
    except FileNotFoundError:
        return _announced(output)
    except OSError:  # a plain folder
        return published if os.path.isdir(published) else None
    folder = os.path.join(output, target)
    return folder if os.path.isdir(folder) else None


def _holds(folder: str, files: Mapping[str, Content]) -> bool:
    try:
        if set(os.listdir(folder)) != files.keys():
            return False
        return all(_is_in(os.path.join(folder, name), content) for name, content in files.items())
    except OSError:
        return False


def _is_in(path: str, content: Content) -> bool:
    if isinstance(content, str):
        return content == path
    with open(path, "rb") as file:
        return all(file.read(len(part)) == part for part in _parts(content)) and not file.read(1)


def _parts(content: bytes | Callable[[], Iterable[bytes]]) -> Iterable[bytes]:
    return [content] if isinstance(content, bytes) else content()


def _write(folder: str, files: Mapping[str, Content]) -> None:
    os.mkdir(folder)
    for name, content in files.items():
        path = os.path.join(folder, name)
        if isinstance(content, str):
            if _linked(path, content):
                continue
            content = read_whole(content)
        with open(path, "xb") as file:
            file.writelines(_parts(content))
            file.flush()
            os.fsync(file.fileno())
    sync_folder(folder)
    sync_folder(os.path.dirname(folder))


def _linked(path: str, existing: str) -> bool:
    """Gives a file that nobody writes to a second name; False where the system has no such thing."""
    try:
        os.link(existing, path)
    except OSError:
        return False
    return True


def _announced(output: str) -> str | None:
    """The build that was about to become current when its writer died between two renames."""
    try:
        name = read_whole(os.path.join(output, BUILDS, _NEXT)).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    folder = os.path.join(output, BUILDS, name)
    return folder if name.isalnum() and os.path.isdir(folder) else None


def _exchange_for(output: str, new: str) -> None:
    """Makes `new` current, in one step where the system has symbolic links."""
    published = os.path.join(output, PUBLISHED)
    link = _link_to(new)
    plain_folder = os.path.isdir(published) and not os.path.islink(published)
    if link is not None and not plain_folder:
        os.replace(link, published)
    else:
        _exchange(output, link or new, os.path.basename(new))


def _link_to(new: str) -> str | None:
    """A link to `new`, good at the place of `artifacts`; None where links cannot be made."""
    builds, name = os.path.split(new)
    link = os.path.join(builds, os.urandom(8).hex())
    try:
        os.symlink(os.path.join(BUILDS, name), link, target_is_directory=True)
    except OSError:
        return None
    return link


def _exchange(output: str, replacement: str, name: str) -> None:
    """Puts `replacement` in the place of a plain folder. Two renames: what comes is announced before the first."""
    published, builds = os.path.join(output, PUBLISHED), os.path.join(output, BUILDS)
    announced = os.path.join(builds, _NEXT)
    draft = os.path.join(builds, os.urandom(8).hex())
    with open(draft, "w", encoding="utf-8") as file:
        file.write(name)
    os.replace(draft, announced)
    sync_folder(builds)
    retired = os.path.join(builds, os.urandom(8).hex())
    if os.path.lexists(published):
        os.rename(published, retired)
    try:
        os.rename(replacement, published)
    except OSError:
        if os.path.lexists(retired):
            os.rename(retired, published)
        raise
    try:
        os.unlink(announced)
    except OSError:
        pass  # an old announcement is heeded only where nothing is current


def _remove_old(output: str, just_replaced: str | None) -> None:
    """Builds that have not been current for a while, and what writers that were killed left behind."""
    now_current = current(output)
    now = time.time()
    if just_replaced is not None and os.path.isdir(just_replaced) and just_replaced != now_current:
        os.utime(just_replaced)  # its minute begins now
    for entry in os.scandir(os.path.join(output, BUILDS)):
        if entry.path != now_current and now - entry.stat(follow_symlinks=False).st_mtime >= _KEPT_SECONDS:
            discard(entry.path)
