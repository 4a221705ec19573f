"""Drawn projects, imported for real: no answer is definite and wrong without a word about it, and none crashes the
analysis.

LUA_HYPOTHESIS_EXAMPLES raises the number of projects.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from lua_cli.analysis import analyse
from lua_cli.project import open_project
from lua_cli.rules import judge
from lua_cli.source import SourceIndex
from tests.analysis.comparison import silent_mistakes
from tests.analysis.generated import projects
from tests.analysis.oracle import Oracle

EXAMPLES = int(os.environ.get("LUA_HYPOTHESIS_EXAMPLES", "60"))
ABOUT_WORDS = {
    "lua/" + code
    for code in (
        "tool-description-missing",
        "tool-description-vague",
        "input-schema-missing",
        "unregistered-skill",
        "skill-context-missing",
        "tool-name-style",
    )
}


def test_no_silent_mistake() -> None:
    oracle = Oracle()

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(projects())
    def holds(files: dict[str, str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in files.items():
                (root / name).write_text(text)
            project = open_project(root)
            index = SourceIndex(project)
            analysis = analyse(project, index)
            said = [d for d in judge(analysis, index, project) if d.code not in ABOUT_WORDS]
            assert silent_mistakes(analysis, said, oracle.look(root)) == []

    try:
        holds()
    finally:
        oracle.close()
