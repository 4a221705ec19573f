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
    """A child that waits for its order, and its folder. `drop` it, or `take` it."""

    def __init__(self, begun: Begun, folder: Path) -> None:
        self._begun: Begun | None = begun
        self._folder = folder

    def take(self) -> tuple[Begun, Path] | None:
        """The child, which is the caller's from now on; None when somebody has it."""
        begun, self._begun = self._begun, None
        return (begun, self._folder) if begun is not None else None

    def drop(self) -> None:
        """End the child, when nobody took it. Again and again."""
        begun, self._begun = self._begun, None
        if begun is not None:
            begun.drop()
            shutil.rmtree(self._folder, ignore_errors=True)


def begin_looking(project: Project) -> Ahead | None:
    """Begin the child; None when it cannot be: whoever needs one says why."""
    folder = new_folder("lua-probe-")
    environment = environment_in(folder, child_environment({}))
    try:
        interpreter = str(project.interpreter.executable)
        alone = threading.active_count() == 1
        return Ahead(begin(interpreter, environment, folder, EARLY, alone=alone), Path(folder))
    except LuaError:
        shutil.rmtree(folder, ignore_errors=True)
        return None
