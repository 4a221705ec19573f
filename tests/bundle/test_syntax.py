"""Syntax that is newer than what the project says it runs on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lua_cli.bundle import collect
from lua_cli.bundle.syntax import newer_syntax, oldest_python
from lua_cli.source import SourceIndex
from tests.bundle.analyses import analysis, skill, tool
from tests.bundle.projects import project

MATCH = "def f(x):\n    match x:\n        case 1: ...\n"


def test_what_an_older_python_cannot_read_is_found_at_its_place() -> None:
    assert newer_syntax(MATCH.encode(), (3, 10)) is None
    found = newer_syntax(MATCH.encode(), (3, 9))
    assert found is not None
    assert (found.line, "only supported in Python 3.10" in found.reason) == (2, True)
    assert newer_syntax(b"def f(:\n", (3, 9)) is None
    assert newer_syntax(b"x = '\0'\n", (3, 9)) is None


def test_only_an_older_python_that_is_asked_for_counts() -> None:
    assert oldest_python("") is None
    assert oldest_python(f">={sys.version_info[0]}.{sys.version_info[1]}") is None


def test_each_file_is_said_once_and_blocks_the_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lua_cli.bundle.collecting.oldest_python", lambda _text: (3, 9))
    settings = "[project]\nname = 'x'\nversion = '1'\nrequires-python = '>=3.9'\n[tool.lua]\n"
    opened = project(tmp_path, {"agent.py": "", "a.py": "import b", "b.py": MATCH, "pyproject.toml": settings})
    track = tool("a.A", "a.py")
    skills = [skill("one", [track]), skill("two", [track])]
    (found,) = collect(analysis(opened, skills, [track]), SourceIndex(opened), opened).findings
    assert (found.code, found.place.path, found.place.line) == ("lua/syntax-error", "b.py", 2)
    assert "Python 3.10" in found.facts["reason"]
    assert found.facts["reason"].endswith("and requires-python allows >=3.9")
