"""bundle/: what belongs to a skill, as one reproducible file.

In: the analysis, the source index and the project; later the schemas that the probe saw. Out: drafts and findings;
artifacts; the output folder. Reads the project's files, runs none of them, downloads nothing. docs/artifact.md has the
format.
"""

from lua_cli.bundle.model import Artifact, Build, BuiltArtifact, BundledFile, Draft, OpenedArtifact
from lua_cli.bundle.opening import open_artifact
from lua_cli.bundle.output import artifact_path, read_build, write_build
from lua_cli.bundle.sealing import seal
from lua_cli.bundle.unpack import unpack

__all__ = [
    "Artifact",
    "Build",
    "BuiltArtifact",
    "BundledFile",
    "Draft",
    "OpenedArtifact",
    "artifact_path",
    "open_artifact",
    "read_build",
    "seal",
    "unpack",
    "write_build",
]
