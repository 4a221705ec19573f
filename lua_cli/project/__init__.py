"""project/: where the user's project is, its settings, its Python and the state that the CLI keeps.

In: a folder. Out: a `Project`. Must not read Python sources or run anything.
"""

from lua_cli.project.interpreter import Interpreter
from lua_cli.project.locate import Project, open_project
from lua_cli.project.settings import Settings

__all__ = ["Interpreter", "Project", "Settings", "open_project"]
