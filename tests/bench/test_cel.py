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
    expressions, _, runaways = done.stdout.partition("\n\n")
    for table, rows, bars in ((expressions, 7, 5), (runaways, 6, 4)):
        assert [line.count("|") for line in table.splitlines()] == [bars] * rows
