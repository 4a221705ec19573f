"""pipeline/: strings the stages. In: a Project. Out: a `Compiled`. Prints nothing."""

from lua_cli.pipeline.run import Compiled, compile_project, explain_bundles, remembered

__all__ = ["Compiled", "compile_project", "explain_bundles", "remembered"]
