#!/usr/bin/env python3
"""Runs the abstract import over the sources of large packages, as if they were the user's own, and says how long it
takes.

usage: reading.py FOLDER [FOLDER ...]

A folder holds an unpacked package (`pip download`, unzip). An entry that imports every module is analysed; nothing of
the package runs. What a crash would be is one here too. Printed are modules, lines reached, classes, seconds of CPU,
and seconds for 20,000 lines.
"""

from __future__ import annotations

import argparse
import gc
import json
import keyword
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lua_cli.analysis import analyse
from lua_cli.project import open_project
from lua_cli.source import SourceIndex


def modules_in(folder: Path) -> list[str]:
    """Dotted names of the modules in a folder that can be imported by a name, sorted."""
    out: set[str] = set()
    for path in folder.rglob("*.py"):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        if (
            parts
            and all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)
            and "tests" not in parts
        ):
            out.add(".".join(parts))
    return sorted(out)


def measure(folder: Path) -> None:
    names = modules_in(folder)
    with tempfile.TemporaryDirectory() as work:
        root = Path(work)
        (root / "pyproject.toml").write_text(f'[tool.lua]\nimport-roots = [".", {json.dumps(str(folder))}]\n')
        (root / "agent.py").write_text("".join(f"import {name}\n" for name in names))
        index = SourceIndex(open_project(root))
        gc.disable()
        started = time.process_time()
        analysis = analyse(index.project, index)
        seconds = time.process_time() - started
        gc.enable()
        lines = sum(index.text(path).count("\n") for path in index.read)
    per = seconds / max(lines, 1) * 20_000
    found = len(analysis.classes)
    print(
        f"{folder.name}: {len(names)} modules, {lines} lines, {found} classes, "
        f"{seconds:.1f} s, {per:.2f} s for 20,000 lines"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    for folder in parser.parse_args().folders:
        measure(folder.resolve())


if __name__ == "__main__":
    main()
