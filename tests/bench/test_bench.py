"""The benchmark measures what it says: its projects have the shape that is written, and its command prints its table."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def test_a_generated_project_has_its_tools(tmp_path: Path, lua: Callable[..., object]) -> None:
    subprocess.run([sys.executable, REPOSITORY / "bench/generate.py", "45", tmp_path / "p"], check=True, timeout=60)
    compiled = lua("compile", "--ci", "--check", "--format", "json", cwd=tmp_path / "p")
    document = json.loads(compiled.stdout)
    assert document["ok"] and not document["diagnostics"], document["diagnostics"][:3]
    assert [len(skill["tools"]) for skill in document["skills"]] == [20, 20, 5]
    assert len({tool["name"] for tool in document["tools"]}) == 45
    bases = Counter(
        "RegionSearch" if "(RegionSearch)" in text else "IndexSearch" if "(IndexSearch)" in text else "own"
        for text in (path.read_text() for path in (tmp_path / "p/src/tools").glob("tool_*.py"))
    )
    assert bases == {"own": 36, "IndexSearch": 4, "RegionSearch": 5}


def test_what_a_client_of_mcp_waits_for_is_measured(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "bench/connecting.py", "--runs", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["P", "echo", "connected", "listed"]


def test_the_command_prints_a_table_of_ratios(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "bench/run.py", "--runs", "1", "--tools", "10"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    table = [line.split("|")[1].strip() for line in done.stdout.splitlines() if line.startswith("| ")]
    assert table == [
        "what",
        "python -c pass (P)",
        "lua --version",
        "lua --help",
        "orders: compile, cold",
        "orders: compile, nothing changed",
        "orders: compile, one body edited",
        "orders: test one tool, nothing changed",
        "10 tools: compile, cold",
        "10 tools: compile, nothing changed",
        "10 tools: compile, one body edited",
    ]
