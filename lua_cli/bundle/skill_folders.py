"""The folder of a skill in the Agent Skills format, as members of its artifact.

In: the skill, whose SKILL.md is a member already. Out: its other files, each under the name that it has in the project;
findings about those that no artifact holds. What machines leave behind (caches, bytecode) stays out without a word.
"""

from __future__ import annotations

import os
from pathlib import Path

from lua_cli.analysis.model import SkillInfo
from lua_cli.bundle.datafiles import name_of
from lua_cli.bundle.globs import files_matching
from lua_cli.bundle.members import Kind, Members
from lua_cli.project import Project
from lua_cli.source.denied import denied

_LEFT_BEHIND = ("bytecode", "a file of the desktop")
_TEXTS = (".md", ".txt")  # what a model reads; scripts and data stay as they are


def folder_of(skill: SkillInfo, project: Project) -> Path | None:
    """The folder that the skill is made from; None for one that is written in Python."""
    folder = skill.folder
    if folder is None or not folder.text or folder.place is None:
        return None
    return Path(os.path.normpath((project.root / folder.place.path).parent / folder.text))


def files_in(folder: Path) -> tuple[Path, ...]:
    """All files of the folder, also in folders below, but those that nothing is bundled from."""
    return files_matching(folder, "**")


def add_folder(members: Members, skill: SkillInfo, document: str | None, project: Project) -> str | None:
    """Take the files in. Gives the folder's name in the archive: that of its SKILL.md, without the file."""
    folder = folder_of(skill, project)
    if folder is None or document is None or skill.folder is None or skill.folder.place is None:
        return None
    for path in files_in(folder):
        what = denied(path, folder)
        if what is None:
            kind: Kind = "document" if path.suffix in _TEXTS else "data"
            reason = f"a file of the folder of skill {skill.name}"
            members.add(name_of(project, path), path, kind, reason, skill.folder.place)
        elif what not in _LEFT_BEHIND:
            members.say("lua/refused-file", skill.folder.place, name=project.relative(path), reason=what)
    return document.rpartition("/")[0]
