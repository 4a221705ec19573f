"""What a run of a trivial tool costs, against a bare child that imports the same packages.

    python bench/running.py [--runs 15]

Prints medians and ratios; judges nothing.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

AGENT = """\
{imports}
from lua_cli import LuaAgent, LuaSkill, LuaTool

{model}

class Sync(LuaTool):
    name = "sync"
    description = "Answer at once. Use when somebody measures."
    input_schema = {schema}

    def execute(self, input):
        return 1


class Async(LuaTool):
    name = "async"
    description = "Answer at once, on a loop. Use when somebody measures."
    input_schema = {schema}

    async def execute(self, input):
        return 1


skill = LuaSkill(name="bench", context="Measuring.", tools=[Sync(), Async()])
agent = LuaAgent(name="bench", skills=[skill])
"""
KINDS = {
    "JSON Schema": ("", "", '{"type": "object", "properties": {}}'),
    "pydantic": (
        "from pydantic import BaseModel",
        "class Query(BaseModel):\n    text: str = ''\n",
        "Query",
    ),
}


def median(runs: int, work: Callable[[], object]) -> float:
    """Milliseconds, after one run that nobody counts."""
    work()
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def measure(root: Path, kind: str, runs: int) -> None:
    from lua_cli.bundle import unpack
    from lua_cli.pipeline import compile_project
    from lua_cli.project import open_project
    from lua_cli.runtime import RunOptions, run_tool

    imports, model, schema = KINDS[kind]
    (root / "src").mkdir(parents=True)
    (root / "pyproject.toml").write_text("[tool.lua]\n", encoding="utf-8")
    text = AGENT.format(imports=imports, model=model, schema=schema)
    (root / "src/agent.py").write_text(text, encoding="utf-8")
    project = open_project(root)
    compiled = compile_project(project)
    if not compiled.ok:
        sys.exit(str(compiled.document["diagnostics"]))
    opened = compiled.artifacts["bench"].open()
    options = RunOptions(project.interpreter.executable, root / "cache", root, project.import_roots)
    folder = unpack(opened, options.cache)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import agent"
    bare = median(runs, lambda: subprocess.run([sys.executable, "-X", "utf8", "-c", code], check=True))
    print(f"{kind:12} bare child {bare:6.0f} ms")
    for name in ("sync", "async"):
        took = median(runs, lambda name=name: run_tool(opened, name, "{}", options))
        print(f"{kind:12} {name:10} {took:6.0f} ms  {took / bare:4.1f} ×")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(KINDS):
            measure(Path(folder) / str(number), kind, runs)


if __name__ == "__main__":
    main()
