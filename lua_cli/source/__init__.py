"""source/: files → modules.

In: a project. Out: a `SourceIndex`: where modules are, their text, their facts and what they read. Must not judge, and
never imports or runs what it reads.
"""

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
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

else:

    def __getattr__(name: str) -> object:
        """What is asked for, when it is: who looks at single sources has no use for what finds and lowers them."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "SourceIndex":
            from lua_cli.source.index import SourceIndex

            return SourceIndex
        from lua_cli.source import model

        return getattr(model, name)


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
