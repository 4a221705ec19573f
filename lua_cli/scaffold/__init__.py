"""scaffold/: templates/ → a project.

In: a template's name, a folder, a name for the project. Out: the files, written whole or not at all. Never overwrites
a file, never runs one, never asks: questions belong to `commands/init.py`.
"""

from lua_cli.scaffold.create import Scaffolded, scaffold
from lua_cli.scaffold.names import checked_name, name_from_folder
from lua_cli.scaffold.templates import Template, template_named, templates

__all__ = [
    "Scaffolded",
    "Template",
    "checked_name",
    "name_from_folder",
    "scaffold",
    "template_named",
    "templates",
]
