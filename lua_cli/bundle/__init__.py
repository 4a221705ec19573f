"""bundle/: what belongs to a skill, as one reproducible file.

In: the analysis, the source index and the project; later the schemas that the probe saw. Out: drafts and findings;
artifacts; the output folder. Reads the project's files, runs none of them, downloads nothing. docs/artifact.md has the
format.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from lua_cli.bundle.built import Artifact, Build, BuiltArtifact, OpenedArtifact
    from lua_cli.bundle.collecting import collect
    from lua_cli.bundle.explain import explain_bundle
    from lua_cli.bundle.model import BundledFile, Collected, Draft
    from lua_cli.bundle.opening import open_artifact
    from lua_cli.bundle.output import artifact_path, read_build, write_build
    from lua_cli.bundle.sealing import seal
    from lua_cli.bundle.secrets import find_secrets, texts_of
    from lua_cli.bundle.unpacking import unpack

else:
    _WHERE = {
        **dict.fromkeys(("Artifact", "Build", "BuiltArtifact", "OpenedArtifact"), "built"),
        **dict.fromkeys(("BundledFile", "Collected", "Draft"), "model"),
        **dict.fromkeys(("artifact_path", "read_build", "write_build"), "output"),
        **dict.fromkeys(("find_secrets", "texts_of"), "secrets"),
        "collect": "collecting", "explain_bundle": "explain", "open_artifact": "opening", "seal": "sealing",
        "unpack": "unpacking",
    }  # fmt: skip

    def __getattr__(name: str) -> object:
        """What is asked for, when it is: an edit, an unchanged compile and a run have each use for a part alone."""
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        globals()[name] = found
        return found


__all__ = [
    "Artifact",
    "Build",
    "BuiltArtifact",
    "BundledFile",
    "Collected",
    "Draft",
    "OpenedArtifact",
    "artifact_path",
    "collect",
    "explain_bundle",
    "find_secrets",
    "open_artifact",
    "read_build",
    "seal",
    "texts_of",
    "unpack",
    "write_build",
]
