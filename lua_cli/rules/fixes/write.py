"""Carries a plan of fixes out. In: a `FixPlan`. All new files are written before the first old one is replaced, each
atomically, so that a full disk or a read-only folder leaves everything as it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from lua_cli.errors import LuaError
from lua_cli.project import Project
from lua_cli.rules.fixes.plan import FixPlan


def write_fixes(plan: FixPlan, project: Project) -> None:
    """Replace the files of the plan. Raises LuaError, with nothing changed, when one cannot be written."""
    written: list[tuple[str, Path]] = []
    try:
        for change in plan.changes:
            target = (project.root / change.path).resolve()
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
            written.append((name, target))
            with os.fdopen(handle, "wb") as stream:
                stream.write(change.after)
            shutil.copymode(target, name)
        for name, target in written:
            os.replace(name, target)  # noqa: PTH105 - a temporary name, not a path of the project's
    except OSError as error:
        hint = "make the folder writable, or apply what `lua compile --diff` prints"
        raise LuaError(f"cannot write {error.filename}: {error.strerror}", hint=hint) from error
    finally:
        for name, _ in written:
            Path(name).unlink(missing_ok=True)
