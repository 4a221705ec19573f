"""`python rebuild.py PROJECT`: prints the digest of the artifact of the project that test_reproducible.py writes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lua_cli.analysis.model import Entry
from lua_cli.bundle import collect, seal, write_build
from lua_cli.project import open_project
from lua_cli.source import SourceIndex
from tests.bundle.analyses import analysis, place, skill, tool


def main() -> None:
    os.umask(int(os.environ.get("LUA_TEST_UMASK", "22"), 8))
    project = open_project(Path(sys.argv[1]))
    track = tool(
        "skills.tools.track.Track", "skills/tools/track.py", voice_flags={"ignore_on_enter", "disallow_interruption"}
    )
    gate = Entry("skills.gate", "is_open", place("skills/gate.py"))
    orders = skill(
        "orders", [track], description="Größe", context="Zeile\nZwei", instructions="texts/orders.md", condition=gate
    )
    found = collect(analysis(project, [orders], [track]), SourceIndex(project), project)
    assert found.findings == (), found.findings
    schema = {"inputSchema": {"type": "object", "properties": {"b": {"type": "number", "minimum": 0.1}, "a": {}}}}
    sealed = [seal(draft, {"skills.tools.track:Track": schema}) for draft in found.drafts]
    write_build(project.output, sealed, {"version": 1})
    sys.stdout.write(sealed[0].digest)


if __name__ == "__main__":
    main()
