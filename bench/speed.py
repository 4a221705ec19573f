"""What a developer waits for, as ratios to a bare Python in the same rounds, with the target beside each.

    python bench/speed.py [--rounds 5] [--tools 10,100,1000]

All rows of a size are run in turn, with `python -c pass` (P) among them, so that they drift with the machine together.
CPU is user and system time of the process and its children, the peak is that of the largest of them. Nothing here
judges: a target that is missed is shown, not failed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from generate import generate, tool_file  # noqa: E402  # the folder is no package
from run import BARE, LUA, run  # noqa: E402

SETTLED = 2.5  # seconds after which no file is too young to be recognised by its times


@dataclass
class Row:
    """`before` makes the situation that is measured, ahead of each run; `target` is in P."""

    what: str
    command: Sequence[str]
    cwd: Path
    target: str = ""
    before: Callable[[], None] = lambda: None
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak: float = 0.0

    def run(self, *, counts: bool = True) -> None:
        self.before()
        one = run(self.command, self.cwd)
        if counts:
            self.wall.append(one.seconds)
            self.cpu.append(one.cpu)
            self.peak = max(self.peak, one.peak_mb)


def edit(path: Path, old: str) -> Callable[[], None]:
    """Puts another number behind `old` in a file, each time."""
    numbers = iter(range(10**9))

    def write() -> None:
        lines = path.read_text(encoding="utf-8").split("\n")
        at = next(number for number, line in enumerate(lines) if old in line)
        lines[at] = lines[at].partition("  #")[0] + f"  # {next(numbers)}"
        path.write_text("\n".join(lines), encoding="utf-8")

    return write


def rename(path: Path) -> Callable[[], None]:
    """Gives a tool another name, each time."""
    numbers = iter(range(10**9))

    def write() -> None:
        lines = path.read_text(encoding="utf-8").split("\n")
        at = next(number for number, line in enumerate(lines) if line.startswith("    name = "))
        lines[at] = f'    name = "renamed_{next(numbers)}"'
        path.write_text("\n".join(lines), encoding="utf-8")

    return write


def rows_of(project: Path, size: int) -> list[Row]:
    """Cold, with schemas and without; then what follows an edit."""

    def cold() -> None:
        shutil.rmtree(project / ".lua", ignore_errors=True)

    compiling = (*LUA, "compile")
    edited = tool_file(project, 1)
    return [
        Row(f"{size}: cold, no schemas (--check)", (*compiling, "--check"), project, "", cold),
        Row(f"{size}: cold", compiling, project, "", cold),
        Row(f"{size}: one body edited", compiling, project, "3.5" if size <= 100 else "6", edit(edited, "good = [")),
        Row(f"{size}: one name edited", compiling, project, "12", rename(edited)),
    ]


def measure(rows: list[Row], bare: Row, rounds: int) -> None:
    for number in range(rounds + 1):
        for row in (bare, *rows):
            row.run(counts=number > 0)
    for row in rows:
        print(shown(row, bare), flush=True)


def shown(row: Row, bare: Row) -> str:
    wall, cpu = statistics.median(row.wall), statistics.median(row.cpu)
    by_wall, by_cpu = wall / statistics.median(bare.wall), cpu / statistics.median(bare.cpu)
    return f"| {row.what} | {wall * 1000:.0f} | {by_wall:.2f} | {by_cpu:.2f} | {row.target} | {row.peak:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tools", default="10,100,1000", help="sizes of the generated projects")
    arguments = parser.parse_args()
    print("| what | ms | × P | × P of CPU | target × P | peak MB |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="lua-speed-") as folder:
        work = Path(folder)
        bare = Row("python -c pass (P)", BARE, work)
        first = [
            Row("lua --version", (*LUA, "--version"), work, "1.8"),
            Row("lua --help", (*LUA, "--help"), work, "2"),
        ]
        measure(first, bare, 3 * arguments.rounds)
        for size in map(int, filter(None, arguments.tools.split(","))):
            project = work / f"generated-{size}"
            generate(project, size)
            measure(rows_of(project, size), bare, arguments.rounds)
            same = Row(f"{size}: nothing changed", (*LUA, "compile"), project, "2.5" if size <= 1000 else "7")
            time.sleep(SETTLED)
            measure([same], bare, 3 * arguments.rounds)


if __name__ == "__main__":
    main()
