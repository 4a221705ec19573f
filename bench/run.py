"""Measures what a user waits for, as whole processes, and prints a table of ratios.

    python bench/run.py [--runs 7] [--tools 10,100,1000]

P is `python -c pass` with the same interpreter, run between the others so that it drifts with the machine as they do.
A time is the median of the runs; the ratio to P is what can be compared between machines. Memory is the largest single
process.
Nothing here judges: there are no limits and no failures but those of a command that does not work.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from generate import generate, tool_file  # noqa: E402  # the folder is no package

LUA = (sys.executable, "-m", "lua_cli")
BARE = (sys.executable, "-c", "pass")


@dataclass(frozen=True)
class Run:
    """`cpu`: seconds of the process and its children, user and system."""

    seconds: float
    peak_mb: float
    cpu: float


@dataclass(frozen=True)
class Row:
    """One line of the table. `before` makes the situation that is measured, ahead of each run."""

    what: str
    command: Sequence[str]
    cwd: Path
    before: Callable[[], None] = lambda: None


def run(command: Sequence[str], cwd: Path) -> Run:
    """One whole process, from its start to its end."""
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"exit {process.returncode}: {' '.join(command)}\n{said.read().decode(errors='replace')}")
    unit = 1 if platform.system() == "Darwin" else 1024
    return Run(seconds, usage.ru_maxrss * unit / 1e6, usage.ru_utime + usage.ru_stime)


def measure(row: Row, runs: int) -> tuple[float, float, float]:
    """Median seconds, ratio to P, peak memory, after a run that does not count."""
    row.before()
    run(row.command, row.cwd)
    times, bare, peak = [], [], 0.0
    for _ in range(runs):
        bare.append(run(BARE, row.cwd).seconds)
        row.before()
        one = run(row.command, row.cwd)
        times.append(one.seconds)
        peak = max(peak, one.peak_mb)
    return statistics.median(times), statistics.median(times) / statistics.median(bare), peak


def compiles(name: str, project: Path, body: Path) -> list[Row]:
    """Cold, unchanged and after an edit in the body of a function of `body`."""
    command = [*LUA, "compile", "--ci"]
    edits = iter(range(10**9))

    def edit() -> None:
        lines = body.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if "# edit " not in line]
        last_return = max(at for at, line in enumerate(kept) if line.lstrip().startswith("return "))
        indent = kept[last_return][: len(kept[last_return]) - len(kept[last_return].lstrip())]
        kept.insert(last_return, f"{indent}edited = {next(edits)}  # edit ")
        body.write_text("\n".join(kept) + "\n", encoding="utf-8")

    def cold() -> None:
        shutil.rmtree(project / ".lua", ignore_errors=True)

    return [
        Row(f"{name}: compile, cold", command, project, cold),
        Row(f"{name}: compile, nothing changed", command, project),
        Row(f"{name}: compile, one body edited", command, project, edit),
    ]


def rows(work: Path, sizes: Sequence[int]) -> list[Row]:
    orders = work / "orders"
    run([*LUA, "init", str(orders), "--template", "orders", "--ci"], work)
    status = ["test", "--ci", "skill", "--name", "lookup_order", "--input", '{"order_number": "A-1002"}']
    listed = [
        Row("python -c pass (P)", BARE, work),
        Row("lua --version", [*LUA, "--version"], work),
        Row("lua --help", [*LUA, "--help"], work),
        *compiles("orders", orders, orders / "src/skills/tools/lookup_order.py"),
        Row("orders: test one tool, nothing changed", [*LUA, *status], orders),
    ]
    for size in sizes:
        project = work / f"generated-{size}"
        generate(project, size)
        listed += compiles(f"{size} tools", project, tool_file(project, 1))
    return listed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--tools", default="10,100,1000", help="sizes of the generated projects")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.tools.split(",") if size]
    with tempfile.TemporaryDirectory(prefix="lua-bench-") as folder:
        work = Path(folder)
        os.environ["LUA_DATA_DIR"] = str(work / "data")
        print(
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ",
            end="",
        )
        print(f"medians of {arguments.runs} runs\n")
        print("| what | ms | × P | peak MB |\n|---|---:|---:|---:|")
        for row in rows(work, sizes):
            seconds, ratio, peak = measure(row, arguments.runs)
            print(f"| {row.what} | {seconds * 1000:.0f} | {ratio:.1f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
