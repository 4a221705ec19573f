"""The benchmark of expressions prints its table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def test_the_command_prints_a_line_for_each_expression() -> None:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "bench/cel.py", "--rounds", "3"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    rows = [line.count("|") for line in done.stdout.splitlines()]
    assert len(rows) == 7
    assert min(rows) == 5
