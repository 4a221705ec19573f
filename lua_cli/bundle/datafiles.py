"""Files beside the code: those that modules name by a literal path, the `include` globs, a skill's document.

In: the closure, the settings, a skill. Out: members, and findings about what is missing, refused or nowhere to be put.
Never whole folders: what is bundled was named.
"""

from __future__ import annotations

import difflib
import os
import posixpath
from collections.abc import Iterable
from pathlib import Path

from lua_cli.analysis.model import Attribute, SkillInfo
from lua_cli.bundle.closure import Imports, Reached, member_name
from lua_cli.bundle.globs import files_matching, leaves_folder
from lua_cli.bundle.members import Members
from lua_cli.bundle.pyproject import setting_place
from lua_cli.project import Project
from lua_cli.source import DataRead, ModuleLocation
from lua_cli.source.denied import denied, denied_folder


def add_included(members: Members, project: Project) -> None:
    """What the globs of `include` name."""
    for pattern in project.settings.include:
        place = setting_place(project, pattern)
        if leaves_folder(pattern):
            reason = "an include glob is relative to the project, with `/`, and stays in it"
            members.say("lua/refused-file", place, name=pattern, reason=reason)
            continue
        found = files_matching(project.root, pattern)
        if not found:
            is_folder = (project.root / pattern).is_dir()
            reason = f"it is a folder: write `{pattern.rstrip('/')}/**`" if is_folder else "no file matches it"
            members.say("lua/data-file-missing", place, name=pattern, reason=reason)
        for path in found:
            what = denied(path, project.root) or denied_folder(path)
            if what:
                members.say("lua/refused-file", place, name=project.relative(path), reason=what)
            elif not path.is_file():
                members.say("lua/data-file-missing", place, name=project.relative(path), reason="no regular file")
            else:
                members.add(name_of(project, path), path, "data", f"include glob {pattern!r} in [tool.lua]", place)


def add_read(members: Members, reached: Iterable[Reached], imports: Imports) -> None:
    """What the modules of a closure read by literal paths. Comes after the globs, which may name a folder's files."""
    for module in reached:
        for read in imports.index.data_reads(module.location):
            for location in _homes(read, module.location, imports, members):
                _add_one(members, read, location, imports)


def _homes(read: DataRead, module: ModuleLocation, imports: Imports, members: Members) -> list[ModuleLocation]:
    """The module beside which the file lies: the reader itself, or a package of the project."""
    if read.package is None:
        return [module]
    package = imports.index.locate(read.package)
    if package is None:
        members.say(
            "lua/data-file-missing",
            read.place,
            name=read.target,
            reason=f"there is no package {read.package}",
            advice="mend the name of the package",
        )
    return [package] if package is not None and imports.is_bundled(package) else []


def _add_one(members: Members, read: DataRead, location: ModuleLocation, imports: Imports) -> None:
    project = imports.index.project
    folders = location.portions or ((location.path or location.native or Path()).parent,)
    path = next((found for found in (_joined(folder, read.target) for folder in folders) if found.exists()), None)
    here = location.dotted.replace(".", "/") if location.portions else posixpath.dirname(member_name(location))
    name = posixpath.normpath(posixpath.join(here, read.target))
    if name == ".." or name.startswith("../"):
        root = project.relative(location.root or project.root)
        reason = f"it lies outside of the import root `{root}`, and an artifact has no place for it"
        advice = f"move it below `{root}`, best beside the module, and read it from there"
        members.say("lua/data-file-missing", read.place, name=read.target, reason=reason, advice=advice)
    elif path is None:
        missing = members.ask(_joined(folders[0], read.target))
        members.say("lua/data-file-missing", read.place, name=read.target, reason=_why_missing(missing, project))
    elif what := denied(path, location.root or project.root):
        members.say("lua/refused-file", read.place, name=project.relative(path), reason=what)
    elif path.is_dir():
        if not members.has_below(name):
            glob = f"{project.relative(path)}/**"
            advice = f'name its files in [tool.lua]: `include = ["{glob}"]`'
            members.say("lua/data-file-missing", read.place, name=read.target, reason="it is a folder", advice=advice)
    elif path.name not in _names_in(path.parent):
        reason = "its name on disk has other letter case, which only some systems forgive"
        members.say("lua/data-file-missing", read.place, name=read.target, reason=reason, advice="write it as on disk")
    else:
        reason, beside = f"read by {read.place.path}:{read.place.line}", location.origin != "first-party"
        members.add(name, path, "data", reason, read.place, beside=beside)


def add_document(members: Members, skill: SkillInfo, project: Project) -> str | None:
    """The skill's `instructions`, a path relative to the file that names it. Gives the member's name, if any."""
    attribute: Attribute = skill.attributes["instructions"]
    if not attribute.text or attribute.place is None:
        return None
    path = members.ask(_joined((project.root / attribute.place.path).parent, attribute.text))
    reason = _why_no_document(path, project)
    if reason:
        members.say("lua/document-missing", attribute.place, name=attribute.text, reason=reason)
        return None
    name = name_of(project, path)
    members.add(name, path, "document", f"the instructions of skill {skill.name}", attribute.place)
    return name


def _why_no_document(path: Path, project: Project) -> str | None:
    if not path.is_relative_to(project.root):
        return "it lies outside of the project"
    if path.is_dir():
        return "it is a folder"
    if not path.is_file():
        return _why_missing(path, project)
    what = denied(path, project.root)
    return f"it is {what}, which is never bundled" if what else None


def name_of(project: Project, path: Path) -> str:
    """The name in the archive of a file of the project: relative to the import root that holds it, as its neighbours in
    Python have it; below no import root, relative to the project."""
    roots = [root for root in project.import_roots if path.is_relative_to(root)]
    root = max(roots, key=lambda folder: len(folder.parts), default=project.root)
    return path.relative_to(root).as_posix()


def _joined(folder: Path, target: str) -> Path:
    """`folder / target` with its `..` taken away, as text: links on the way stay as they are written."""
    return Path(os.path.normpath(folder / target))


def _names_in(folder: Path) -> list[str]:
    """Names as they are on disk; raises OSError."""
    return [entry.name for entry in folder.iterdir()]


def _why_missing(path: Path, project: Project) -> str:
    try:
        names = _names_in(path.parent)
    except OSError:
        return f"there is no folder {project.relative(path.parent)}"
    if os.path.lexists(path):
        return "it is a link that leads nowhere"
    lower = {name.lower(): name for name in names}
    near = lower.get(path.name.lower()) or next(iter(difflib.get_close_matches(path.name, names, n=1)), None)
    return f"there is no {project.relative(path)}" + (f" (did you mean `{near}`?)" if near else "")
