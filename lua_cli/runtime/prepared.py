"""What is needed to run one tool, without its artifact. In: an opened artifact, or what was kept of one. Out: a
`Prepared`.

What is kept is text: the lines that a child can be begun with stand first, so that they are read without a parser
(`ahead.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lua_cli.records import as_dict, record
from lua_cli.runtime.foreseeing import early_modules
from lua_cli.runtime.model import TIMEOUT

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.runtime.model import RunOptions


@record(frozen=True)
class Prepared:
    """A tool that can be run.

    tool     its entry in the manifest
    folder   where the artifact is unpacked
    members  the names of the artifact's files
    env      the names of the variables that its skill declares
    early    the modules that its child imports before the request comes
    """

    tool: Mapping[str, Any]
    folder: str
    members: tuple[str, ...]
    env: tuple[str, ...]
    early: tuple[str, ...]


def prepare(opened: OpenedArtifact, tool: Mapping[str, Any], options: RunOptions) -> Prepared:
    """Unpack an artifact for a run of one of its tools. Raises LuaError when the cache cannot be written."""
    from lua_cli.bundle import unpack

    folder = str(unpack(opened, options.cache).resolve())
    return Prepared(tool, folder, tuple(opened.files), tuple(opened.manifest["env"]), early_modules(tool, opened.files))


def written(prepared: Prepared, options: RunOptions, stamps: Sequence[str]) -> str | None:
    """What `ahead.py` reads; None for paths and names that cannot be written down. `stamps`: what the unpacked folder
    is recognised by."""
    head = (
        str(options.interpreter),
        prepared.folder,
        " ".join(prepared.env),
        " ".join(prepared.early),
        str(len(stamps)),
        *stamps,
    )
    if any("\n" in line for line in head):
        return None
    roots = [str(root) for root in options.roots]
    packages = [str(path) for path in options.packages]
    limits = options.limits
    usual = {"timeout": TIMEOUT, "child": limits.for_child(TIMEOUT), "logs": limits.logs, "answer": limits.answer}
    more = {"interpreter": head[0], "roots": roots, "packages": packages, "limits": usual}
    facts = {**as_dict(prepared), **more}
    return "\n".join((*head, json.dumps(facts)))


def read_prepared(facts: Mapping[str, Any]) -> Prepared:
    """The tool that was kept."""
    names = ("members", "env", "early")
    return Prepared(facts["tool"], facts["folder"], *(tuple(facts[name]) for name in names))
