"""The oracle: what Python itself makes of a project, found out by importing it in a child process.

As a script it reads folders from stdin, one a line, and answers each with a line of JSON: imports `agent` from that
folder (in a fork, so that nothing is left behind) and says of every class of the project's modules whether it is a
tool, whether it is abstract, whether it can be built without arguments and under which name, and which tools the agent
really has.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def look(root: Path) -> dict[str, Any]:
    """Imports the project at `root` into this process."""
    import inspect

    from lua_cli import LuaAgent, LuaTool

    sys.path.insert(0, str(root))
    error = None
    try:
        __import__("agent")
    except BaseException as failed:
        error = type(failed).__name__
    classes: dict[str, Any] = {}

    def visit(owner: Any, prefix: str, module: str) -> None:
        for name, value in list(vars(owner).items()):
            if not isinstance(value, type) or value.__module__ != module or value.__qualname__ != prefix + name:
                continue
            dotted = f"{module}.{value.__qualname__}"
            if dotted in classes:
                continue
            try:
                made: Any = value()
                instantiable = True
            except BaseException:
                made, instantiable = value, False
            declared = {field.name: field.default for field in getattr(value, "__attrs_attrs__", ())}
            called = getattr(made, "name", None) if instantiable else declared.get("name", getattr(value, "name", None))
            classes[dotted] = {
                "isTool": issubclass(value, LuaTool),
                "abstract": inspect.isabstract(value),
                "instantiable": instantiable,
                "name": str.__str__(called) if isinstance(called, str) else None,
            }
            visit(value, f"{value.__qualname__}.", module)

    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and str(file).startswith(f"{root}{os.sep}"):
            visit(module, "", name)
    agent = getattr(sys.modules.get("agent"), "agent", None)
    registered = {}
    if isinstance(agent, LuaAgent):
        for skill in agent.skills:
            registered[skill.name] = [
                [f"{type(tool).__module__}.{type(tool).__qualname__}", getattr(tool, "name", None)]
                for tool in skill.tools
            ]
    return {"error": error, "classes": classes, "registered": registered}


def serve() -> None:
    import lua_cli

    assert lua_cli
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                try:
                    answer = json.dumps(look(Path(line.rstrip("\n"))), default=repr)
                except BaseException as failed:
                    answer = json.dumps({"error": f"oracle: {failed!r}", "classes": {}, "registered": {}})
            with os.fdopen(writing, "w") as out:
                out.write(answer)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answers:
            text = answers.read()
        os.waitpid(child, 0)
        print(text, flush=True)


class Oracle:
    """A running oracle: `oracle.look(folder)`. Close it when done."""

    def __init__(self) -> None:
        repository = Path(__file__).resolve().parents[2]
        environ = {**os.environ, "PYTHONPATH": str(repository), "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ
        )

    def look(self, root: Path) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        print(root, file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


if __name__ == "__main__":
    serve()
