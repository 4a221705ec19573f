"""pipeline/: strings the stages. In: a Project. Out: a `Compiled`. Prints nothing.

What it offers is loaded when it is asked for: an unchanged compile is answered by `at_once.py` alone.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from lua_cli.pipeline.known import Compiled, remembered
    from lua_cli.pipeline.run import compile_anew, compile_project, explain_bundles

else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in ("Compiled", "remembered"):
            from lua_cli.pipeline import known

            return getattr(known, name)
        from lua_cli.pipeline import run

        return getattr(run, name)


__all__ = ["Compiled", "compile_anew", "compile_project", "explain_bundles", "remembered"]
