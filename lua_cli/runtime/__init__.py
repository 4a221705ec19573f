"""runtime/: runs tools. In: an artifact, a tool's name, input as text. Out: a `RunResult`, whatever the tool did.

User code runs in a child process only (child/). This package checks the input before any of it starts, and puts what
came back into words; it prints nothing.
"""

TYPE_CHECKING = False  # what type checkers take for true; what is offered is loaded when it is asked for
if TYPE_CHECKING:
    from lua_cli.runtime.model import Fault, RunError, RunOptions, RunResult
    from lua_cli.runtime.running import run_tool
    from lua_cli.runtime.unpacked import forget_old

else:
    _PLACES = {"run_tool": "running", "forget_old": "unpacked"}

    def __getattr__(name: str) -> object:
        """The child of a run is begun (ahead.py) before the rest is loaded."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_PLACES.get(name, 'model')}"), name)


__all__ = ["Fault", "RunError", "RunOptions", "RunResult", "forget_old", "run_tool"]
