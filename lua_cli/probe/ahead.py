"""The child that looks at skills, begun before it is known what there is to look at: its interpreter and pydantic load
while this process reads the project. In: a project. Out: an `Ahead`.
"""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.child.begin import begin, environment_in, new_folder
from lua_cli.child.early import WARM
from lua_cli.child.environment import child_environment
from lua_cli.errors import LuaError

if TYPE_CHECKING:
    from lua_cli.child.begin import Begun
    from lua_cli.project import Project

EARLY = ("lua_cli.child.look", WARM)


class Ahead:
    """A child that waits for its order, and its folder. `drop` it in any case, or `take` it first."""

    def __init__(self) -> None:
        self._begun: Begun | None = None
        self._folder = ""

    def begin(self, project: Project) -> None:
        """Begin the child. Where it cannot be begun there is none: whoever needs one says why."""
        try:
            self._folder = new_folder("lua-probe-")
            environment = environment_in(self._folder, child_environment({}))
            interpreter = str(project.interpreter.executable)
            alone = threading.active_count() == 1
            self._begun = begin(interpreter, environment, self._folder, EARLY, alone=alone)
        except (LuaError, OSError):
            self.drop()

    def take(self) -> tuple[Begun, Path] | None:
        """The child, which is the caller's from now on; None when there is none, or somebody has it."""
        begun, self._begun = self._begun, None
        return (begun, Path(self._folder)) if begun is not None else None

    def drop(self) -> None:
        """End the child, when nobody took it, and remove its folder. Again and again; interrupts come anywhere, so it
        is for `finally` around all else."""
        begun, self._begun = self._begun, None
        if begun is not None:
            begun.drop()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
