"""bundle/: what belongs to a skill, as one reproducible file.

In: the analysis, the source index and the project; later the schemas that the probe saw. Out: drafts and findings;
artifacts; the output folder. Reads the project's files, runs none of them, downloads nothing. docs/artifact.md has the
format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lua_cli.bundle.built import Artifact, Build, BuiltArtifact, OpenedArtifact
from lua_cli.bundle.explain import explain_bundle
from lua_cli.bundle.opening import open_artifact
from lua_cli.bundle.output import artifact_path, read_build, write_build
from lua_cli.bundle.sealing import seal
from lua_cli.bundle.secrets import find_secrets, texts_of
from lua_cli.bundle.unpack import unpack

if TYPE_CHECKING:
    from lua_cli.analysis.model import Analysis
    from lua_cli.bundle.model import BundledFile, Collected, Draft
    from lua_cli.flows.model import Flows
    from lua_cli.project import Project
    from lua_cli.source import SourceIndex

else:

    def __getattr__(name: str) -> object:
        """The values of drafts, when somebody asks: a run of a tool has no use for them."""
        if name not in ("BundledFile", "Collected", "Draft"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from lua_cli.bundle import model

        return getattr(model, name)


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


def collect(analysis: Analysis, index: SourceIndex, project: Project, flows: Flows | None = None) -> Collected:
    """The drafts of the registered skills and of the flows' agents, in order, and what there is to say about them.

    Imported when it is called: an unchanged compile and a run read builds and artifacts, but collect nothing.
    """
    from lua_cli.bundle import collecting

    return collecting.collect(analysis, index, project, flows)
