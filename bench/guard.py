"""Counts the instructions of what a developer runs all day, and fails when they have grown.

    python bench/guard.py [--tolerance 1.15]

Each command runs once under callgrind (`valgrind`, a package of every Linux), the processes that it starts included.
The count is a ratio to that of `python -c pass` (P) and does not depend on the machine's speed or load; it depends a
little on the Python and on what its environment loads at start, which is what the tolerance is for. Exit 1 when a ratio
is above its limit times the tolerance, 2 where there is no valgrind.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from generate import generate  # noqa: E402  # the folder is no package
from running import AGENT, KINDS  # noqa: E402

SETTLED = 2.5  # seconds after which no file is too young to be recognised by its times
PYTHON = [sys.executable]
LUA = [sys.executable, "-m", "lua_cli"]
ONE = [*LUA, "test", "--ci", "skill", "--name", "sync", "--input", "{}"]
# What was measured when the limit was set, in P: a lower figure lowers the limit in the same commit.
LIMITS = {
    "lua --version": 1.54,
    "lua --help": 1.54,
    "compile, nothing changed": 1.77,
    "compile --json, nothing changed": 1.77,
    "compile of 100 tools, nothing changed": 1.82,
    "push all, nothing changed": 2.4,
    "test of a trivial tool, nothing changed": 5.6,
}


def instructions(command: list[str], cwd: Path) -> int:
    """How many a command needs, with those of the processes that it starts."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes"]
    environment, counts = {**os.environ, "PYTHONHASHSEED": "0"}, Path(tempfile.mkdtemp(prefix="lua-guard-counts-"))
    done = subprocess.run(
        [*tool, f"--log-file={counts}/%p", *command],
        cwd=cwd, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    found = [re.search(r"Collected : (\d+)", log.read_text()) for log in counts.iterdir()]
    shutil.rmtree(counts)
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return sum(int(one[1]) for one in found if one)


def commands(work: Path) -> dict[str, tuple[list[str], Path]]:
    """What is counted, and where; everything is compiled and run before, and settled."""
    small, large = work / "small", work / "large"
    (small / "src").mkdir(parents=True)
    (small / "pyproject.toml").write_text("[tool.lua]\n", encoding="utf-8")
    imports, model, schema = KINDS["JSON Schema"]
    text = AGENT.format(imports=imports, model=model, schema=schema)
    (small / "src/agent.py").write_text(text, encoding="utf-8")
    generate(large, 100)
    os.environ |= {
        "LUA_DATA_DIR": str(work / "data"),
        "LUA_CONFIG_DIR": str(work / "config"),
        "LUA_API_URL": "embedded",
    }
    push = [*LUA, "push", "all"]
    first = [
        ([*LUA, "compile"], small),
        (push, small),
        ([*LUA, "compile", "--json"], small),
        (ONE, small),
        ([*LUA, "compile"], large),
    ]
    for _ in range(2):  # the second time nothing is young, and what was said is kept
        for command, cwd in first:
            subprocess.run(command, cwd=cwd, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        time.sleep(SETTLED)
    return {
        "lua --version": ([*LUA, "--version"], work),
        "lua --help": ([*LUA, "--help"], work),
        "compile, nothing changed": ([*LUA, "compile"], small),
        "compile --json, nothing changed": ([*LUA, "compile", "--json"], small),
        "compile of 100 tools, nothing changed": ([*LUA, "compile"], large),
        "push all, nothing changed": (push, small),
        "test of a trivial tool, nothing changed": (ONE, small),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tolerance", type=float, default=1.15)
    tolerance = parser.parse_args().tolerance
    if shutil.which("valgrind") is None:
        print("there is no valgrind here: apt install valgrind", file=sys.stderr)
        return 2
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    grown = False
    with tempfile.TemporaryDirectory(prefix="lua-guard-") as folder:
        work = Path(folder)
        bare = instructions([*PYTHON, "-c", "pass"], work)
        print("| what | millions | × P | limit × P |\n|---|---:|---:|---:|")
        print(f"| python -c pass (P) | {bare / 1e6:.1f} | 1 | |")
        for what, (command, cwd) in commands(work).items():
            count = instructions(command, cwd)
            limit = LIMITS[what] * tolerance
            grown = grown or count > limit * bare
            mark = "  ← grown" if count > limit * bare else ""
            print(f"| {what} | {count / 1e6:.1f} | {count / bare:.2f} | {limit:.2f} |{mark}", flush=True)
    return int(grown)


if __name__ == "__main__":
    sys.exit(main())
