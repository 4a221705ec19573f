"""Real artifacts for tests of plans, made without a compile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lua_cli.bundle import BuiltArtifact, BundledFile, Draft, seal, write_build
from lua_cli.bundle.model import DraftTool, EnvUse
from lua_cli.diagnostics import Place
from lua_cli.packed import Packed

PLACE = Place("agent.py", 1, 1, 1, 1)
OPEN = {"type": "object"}


def build(
    folder: Path,
    tools: Mapping[str, str] | None = None,
    *,
    skill: str = "orders",
    source: str = "# one\n",
    context: str = "Use it.",
    schemas: Mapping[str, Mapping[str, Any]] | None = None,
    env: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
) -> BuiltArtifact:
    """The artifact of one skill in the output folder `folder`. `tools`: name → description; `schemas`: name → input
    schema.
    """
    named = {"get_order": "Look up one order."} if tools is None else tools
    draft = Draft(
        skill=skill,
        description="Orders",
        context=context,
        instructions=None,
        condition=None,
        tools=tuple(DraftTool(name, text, "agent", name, False, (), PLACE) for name, text in named.items()),
        files=(BundledFile("agent.py", Packed(source.encode()), "module", "the entry", "agent.py"),),
        requires=(),
        env=env + optional,
        python="",
        place=PLACE,
        env_uses=tuple(EnvUse(name, ("agent.py:1",), name in optional) for name in env + optional),
    )
    inputs = {f"agent:{name}": {"inputSchema": (schemas or {}).get(name, OPEN), "outputSchema": None} for name in named}
    return write_build(folder, [seal(draft, inputs)], {"skills": []}).artifacts[skill]
