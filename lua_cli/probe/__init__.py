"""probe/: imports what a skill will ship, in a child process, and reads what only a run can tell: the tools' schemas.

In: drafts. Out: `Probed`, with findings for what does not import, has no schema or is not what the analysis read. The
child has no network, a time limit, and of the project nothing but the draft's files; this process imports none of
them.
"""

TYPE_CHECKING = False  # what type checkers take for true; what is offered is loaded when it is asked for
if TYPE_CHECKING:
    from lua_cli.probe.inspecting import inspect
    from lua_cli.probe.model import Probed, SkillSeen, ToolSeen

else:

    def __getattr__(name: str) -> object:
        """A run of a tool has no use for the probe, only for its readers of names and schemas."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from lua_cli.probe import inspecting

        return getattr(inspecting, name)


__all__ = ["Probed", "SkillSeen", "ToolSeen", "inspect"]
