"""What a client of `lua mcp` waits for, against a bare Python: until it is connected, and until it has the tools.

    python bench/connecting.py [--runs 15]

`connected` is from the start of the process to its answer to `initialize`; `listed` is from there to the answer to
`tools/list`, for which the conditions of the skills are asked. The project is the template `orders`, compiled and
unchanged. P is `python -c pass`; `echo` is a Python that reads one line of JSON and answers it, which no server beats.
All of them are run in turn, so that they drift with the machine together. Prints medians and ratios; judges nothing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TEMPLATE = Path(__file__).resolve().parent.parent / "templates" / "orders"
ECHO = "import json, sys; print(json.dumps({'id': json.loads(sys.stdin.readline())['id'], 'result': {}}), flush=True)"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


def asked(command: list[str], root: Path, *calls: tuple[str, object]) -> list[float]:
    """Milliseconds to the answer of each call, counted from the one before, the first from the start."""
    took, begun = [], time.perf_counter()
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("pipes were asked for")
        for number, (method, params) in enumerate(calls):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline() or "{}")
            if "result" not in answer:
                sys.exit(f"{method} was not answered: {answer}")
            now = time.perf_counter()
            took.append((now - begun) * 1000)
            begun = now
        process.stdin.close()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    names = ("P", "echo", "connected", "listed")
    times: dict[str, list[float]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "orders"
        shutil.copytree(TEMPLATE, root, ignore=shutil.ignore_patterns("__pycache__", ".lua"))
        lua = [sys.executable, "-m", "lua_cli"]
        subprocess.run([*lua, "compile"], cwd=root, check=True, stdout=subprocess.DEVNULL)
        for number in range(runs + 1):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", "pass"], cwd=root, check=True)
            passed = (time.perf_counter() - begun) * 1000
            (echoed,) = asked([sys.executable, "-c", ECHO], root, ("initialize", HELLO))
            connected, listed = asked([*lua, "mcp"], root, ("initialize", HELLO), ("tools/list", {}))
            if number:  # the first round fills caches
                for name, milliseconds in zip(names, (passed, echoed, connected, listed), strict=True):
                    times[name].append(milliseconds)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    for name, milliseconds in medians.items():
        print(
            f"{name:10} {milliseconds:6.0f} ms {milliseconds / medians['P']:5.1f} × P "
            f"{milliseconds / medians['echo']:5.1f} × echo"
        )


if __name__ == "__main__":
    main()
