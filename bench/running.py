"""What a run of a trivial tool costs, against a bare child that imports the same packages.

    python bench/running.py [--runs 15]

`bare` imports the tool's module out of the unpacked artifact with `python -c`, and does nothing else. `run` is one run
of a tool without the command line around it; `lua test` is the whole command. P is `python -c pass`. All of them are
run in turn, so that they drift with the machine together. Prints medians and ratios; judges nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
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


def medians(runs: int, works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of each, after one round that nobody counts."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for number in range(runs + 1):
        for name, work in works.items():
            begun = time.perf_counter()
            work()
            if number:
                times[name].append((time.perf_counter() - begun) * 1000)
    return {name: statistics.median(taken) for name, taken in times.items()}


def quietly(command: list[str], cwd: Path) -> Callable[[], object]:
    """Runs a whole process and ends this one when it fails."""
    return lambda: subprocess.run(command, cwd=cwd, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


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
    python = [sys.executable, "-X", "utf8"]
    works: dict[str, Callable[[], object]] = {
        "P": quietly([sys.executable, "-c", "pass"], root),
        "bare": quietly([*python, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); import agent"], root),
    }
    for name in ("sync", "async"):
        works[f"run {name}"] = lambda name=name: run_tool(opened, name, "{}", options)  # type: ignore[misc]
        command = [sys.executable, "-m", "lua_cli", "test", "--ci", "skill", "--name", name, "--input", "{}", "--json"]
        works[f"lua test {name}"] = quietly(command, root)
    took = medians(runs, works)
    for name, milliseconds in took.items():
        allowed = 1.5 * took["bare"] + 3 * took["P"]
        print(
            f"{kind:12} {name:14} {milliseconds:6.0f} ms {milliseconds / took['P']:5.1f} × P "
            f"{milliseconds / took['bare']:5.2f} × bare {milliseconds / allowed:5.2f} × (1.5 bare + 3 P)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(KINDS):
            measure(Path(folder) / str(number), kind, runs)


if __name__ == "__main__":
    main()
