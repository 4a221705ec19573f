"""Flows that can run. In: a project, or an artifact. Out: `Flows` with the values of their variables, or a LuaError
that says what is wrong where. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.child.environment import declared_values
from lua_cli.errors import LuaError, NotFoundError
from lua_cli.flows.disk import load_folder, load_members
from lua_cli.flows.model import Flows

if TYPE_CHECKING:
    from lua_cli.bundle.model import OpenedArtifact
    from lua_cli.project import Project

WARNINGS = frozenset({"lua/flow-document-body", "lua/flow-path"})

Values = Mapping[str, str]


def of_project(
    project: Project, *, env_file: Path | None = None, first: Values | None = None, complete: bool = True
) -> tuple[Flows, Values]:
    """The flows of a project and the values of their variables; unless it is to be `complete`, required ones may be
    missing. Raises NotFoundError without any flows, LuaError.
    """
    folder = project.flows
    if folder is None:
        hint = 'write flows/agent.yaml, or name the folder: [tool.lua] flows = "…"'
        raise NotFoundError(f"no flows in {project.root}", hint=hint)
    return _opened(
        lambda values: load_folder(project.root, folder, values).flows, project.root, env_file, first, complete
    )


def of_artifact(
    opened: OpenedArtifact, root: Path | None, *, env_file: Path | None = None, first: Values | None = None
) -> tuple[Flows, Values]:
    """The flows of an artifact and the values of their variables. Raises LuaError."""
    from lua_cli.bundle.flow_agent import flow_files

    names = flow_files(opened)
    return _opened(lambda values: load_members(opened.files, values, names), root, env_file, first)


def _opened(
    load: Callable[[Values | None], Flows],
    root: Path | None,
    env_file: Path | None,
    first: Values | None,
    complete: bool = True,
) -> tuple[Flows, Values]:
    flows = load(None)
    _refuse_errors(flows)
    values = declared_values(flows.env, root, env_file=env_file, first=first)
    for name, variable in flows.env.items():
        if name not in values:
            if variable.required and complete:
                raise LuaError(f"the variable {name} is not set", hint="put it into .env, or pass --env-file")
            if variable.default is not None:
                values[name] = variable.default
    if any("${" in text for text in flows.files.values()):
        flows = load(values)
        _refuse_errors(flows)
    return flows, values


def _refuse_errors(flows: Flows) -> None:
    errors = [finding for finding in flows.findings if finding.code not in WARNINGS]
    if errors:
        first = errors[0]
        where = f"{first.place.path}:{first.place.line}:{first.place.column}"
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise LuaError(f"{where}: {first.facts['message']}{more}", hint="see all of it with `lua compile --check`")
