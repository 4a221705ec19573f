"""Writes a project from a template: all of its files, or none, and never over a file that is there.

A folder that does not exist yet is made under another name beside it and renamed when it is complete. In a folder that
exists, each file is created exclusively, and what was made is taken back when one fails.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from lua_cli.errors import UsageError
from lua_cli.records import record
from lua_cli.scaffold.templates import Template

NAMED = ("README.md", "pyproject.toml", "src/agent.py")  # the files of a template that say the project's name


@record(frozen=True)
class Scaffolded:
    """A project that was written. `files` are relative to `root`, with forward slashes, sorted."""

    root: Path
    name: str
    template: str
    files: tuple[str, ...]


def scaffold(template: Template, folder: Path, name: str) -> Scaffolded:
    """Write the template's files into `folder`, with the project called `name`.

    Raises UsageError when a file is in the way.
    """
    root = folder.absolute()
    contents = {path: _content(template, path, source, name) for path, source in template.files().items()}
    _refuse_collisions(root, contents)
    with _taken_back_on_failure() as made:
        if root.is_dir():
            _write_beside(root, contents, made)
        else:
            _make_folder(root.parent, made)
            staged = root.parent / f".{root.name}.{secrets.token_hex(4)}"
            _write(staged, contents, made)
            _rename(staged, root, contents)
    return Scaffolded(root, name, template.name, tuple(sorted(contents)))


def _content(template: Template, path: str, source: Path, name: str) -> bytes:
    content = source.read_bytes()
    if path not in NAMED:
        return content
    whole_name = re.compile(rf"(?<![\w-]){re.escape(template.project)}(?![\w-])")
    return whole_name.sub(name, content.decode("utf-8")).encode("utf-8")


def _refuse_collisions(root: Path, contents: Mapping[str, bytes]) -> None:
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file", hint="name a folder")
    taken = [path for path in sorted(contents) if _in_the_way(root, path)]
    if not taken:
        return
    more = f" and {len(taken) - 3} more" if len(taken) > 3 else ""
    hint = "name a folder that does not exist yet"
    if "pyproject.toml" in taken and "[tool.lua" not in (root / "pyproject.toml").read_text("utf-8", "replace"):
        hint += ', or make this project one of lua: add [tool.lua] with `entry = "src/agent.py"` to its pyproject.toml'
    raise UsageError(f"{root} has {', '.join(taken[:3])}{more} already; nothing was written", hint=hint)


def _in_the_way(root: Path, path: str) -> bool:
    """The file is there already, as whatever; or a file stands where one of its folders has to be."""
    target = root / path
    if target.is_symlink() or target.exists():
        return True
    folders = [parent for parent in target.parents if parent != root and parent.is_relative_to(root)]
    return any(folder.is_symlink() or (folder.exists() and not folder.is_dir()) for folder in folders)


def _write_beside(root: Path, contents: Mapping[str, bytes], made: list[Path]) -> None:
    """Write into a folder that is there, beside what it has."""
    try:
        _write(root, contents, made)
    except FileExistsError:
        _refuse_collisions(root, {path: content for path, content in contents.items() if root / path not in made})
        raise UsageError(f"{root} is being written by somebody else; nothing was written", hint="try again") from None


def _write(root: Path, contents: Mapping[str, bytes], made: list[Path]) -> None:
    for path, content in contents.items():
        target = root / path
        _make_folder(target.parent, made)
        with target.open("xb") as file:
            made.append(target)
            file.write(content)


def _rename(staged: Path, root: Path, contents: Mapping[str, bytes]) -> None:
    try:
        staged.rename(root)
    except OSError:
        _refuse_collisions(root, contents)  # somebody made the folder in the meantime
        raise


def _make_folder(folder: Path, made: list[Path]) -> None:
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        try:
            missing.mkdir()
        except FileExistsError:
            if not missing.is_dir():
                raise
            continue  # somebody else made it in the meantime, and it is theirs
        made.append(missing)


@contextlib.contextmanager
def _taken_back_on_failure() -> Iterator[list[Path]]:
    """A list of the files and folders that were made; they are removed, the last one first, when the block fails."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for path in reversed(made):
            with contextlib.suppress(OSError):  # what cannot be removed must not hide why the block failed
                path.rmdir() if path.is_dir() else path.unlink()
        raise
