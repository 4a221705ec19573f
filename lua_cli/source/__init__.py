"""source/: files → modules.

In: a project. Out: a `SourceIndex`: where modules are, their text, their facts and what they read. Must not judge, and
never imports or runs what it reads.
"""

from lua_cli.source.index import SourceIndex
from lua_cli.source.model import (
    ComputedRead,
    DataRead,
    EnvRead,
    ImportFact,
    LocalThing,
    ModuleLocation,
    SourceError,
)

__all__ = [
    "ComputedRead",
    "DataRead",
    "EnvRead",
    "ImportFact",
    "LocalThing",
    "ModuleLocation",
    "SourceError",
    "SourceIndex",
]
