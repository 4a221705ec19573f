"""A module does something when it is imported.

A tool's module is imported by the probe at compile time, by every test and by every process that serves the tool:
without the network, before there is a user, and with other variables than in production. A request, a connection, a
`print` or a subprocess at the top level then happens each time, or fails each time. A variable that is read there is
fixed for the life of the process, so that a rotated secret is not seen.

What to do: do it in `execute`, or in a function with `functools.cache` that `execute` calls. Code under `if __name__ ==
"__main__":` is fine.

Bad:

```python
import os

from pydantic import BaseModel

from lua_cli import LuaTool

KEY = os.environ["PAYMENTS_KEY"]


class Payment(BaseModel):
    number: str


class FindPayment(LuaTool[Payment]):
    name = "find_payment"
    description = "Find a payment by its number. Use when the customer asks whether it arrived."
    input_schema = Payment

    def execute(self, input: Payment) -> str:
        return f"{KEY[:2]}: {input.number}"
```

Good:

```python
import os

from pydantic import BaseModel

from lua_cli import LuaTool


class Payment(BaseModel):
    number: str


class FindPayment(LuaTool[Payment]):
    name = "find_payment"
    description = "Find a payment by its number. Use when the customer asks whether it arrived."
    input_schema = Payment

    def execute(self, input: Payment) -> str:
        key = os.environ["PAYMENTS_KEY"]
        return f"{key[:2]}: {input.number}"
```
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context
from lua_cli.rules.judging.toplevel import TopLevel

CODE: Final = "lua/import-side-effect"
SEVERITY: Final = "warning"

_EFFECTS = {
    "print": "writes to the output",
    "input": "waits for input",
    "breakpoint": "starts the debugger",
    "exit": "ends the process",
    "quit": "ends the process",
    "sys.exit": "ends the process",
    "os._exit": "ends the process",
    "os.abort": "ends the process",
    "os.system": "starts a process",
    "os.popen": "starts a process",
    "os.remove": "deletes a file",
    "os.unlink": "deletes a file",
    "os.rmdir": "deletes a folder",
    "os.makedirs": "makes a folder",
    "os.mkdir": "makes a folder",
    "shutil.rmtree": "deletes a folder",
    "time.sleep": "waits",
    "asyncio.run": "runs an event loop",
    "sqlite3.connect": "opens a database",
    "socket.create_connection": "opens a connection",
    "socket.socket": "opens a connection",
    "urllib.request.urlopen": "sends a request",
    "psycopg.connect": "opens a database",
    "psycopg2.connect": "opens a database",
    "pymongo.MongoClient": "opens a database",
    "lua_cli.env": "reads the environment",
}
_PREFIXES = {
    "subprocess.": ("starts a process", ("run", "call", "check_call", "check_output", "Popen", "getoutput")),
    "requests.": ("sends a request", ("get", "post", "put", "patch", "delete", "head", "options", "request")),
    "httpx.": ("sends a request", ("get", "post", "put", "patch", "delete", "head", "options", "request", "stream")),
}
_WRITING = re.compile(r"[wax+]")
_WORDS = re.compile(
    r"\b(print|input|breakpoint|exit|quit|_exit|abort|system|popen|remove|unlink|rmdir|makedirs|mkdir|rmtree|sleep|run|connect"
    r"|create_connection|socket|urlopen|MongoClient|env|environ|subprocess|requests|httpx|open|SystemExit)\b"
)


def check(context: Context) -> Iterator[Diagnostic]:
    for path in sorted(context.own_paths):
        text = context.text(path)
        if not _WORDS.search(text):
            continue
        module = TopLevel.read(path, text)
        for node in module.nodes() if module else ():
            effect = _effect(node, module) if module else None
            if effect and module:
                message = f"importing this module {effect}"
                help_ = "do it in `execute`, or in a cached function that `execute` calls"
                yield Diagnostic(CODE, SEVERITY, message, module.place(node), help=help_)


def _effect(node: ast.AST, module: TopLevel) -> str | None:
    match node:
        case ast.Call():
            return _call(node, module)
        case ast.Subscript(value=value, ctx=ast.Load()) if module.dotted(value) == "os.environ":
            return f"fails when {ast.unparse(node.slice)} is not set"
        case ast.Raise(exc=exc) if exc is not None:
            raised = module.dotted(exc.func if isinstance(exc, ast.Call) else exc)
            return "ends the process" if raised in ("SystemExit", "KeyboardInterrupt") else None
    return None


def _call(node: ast.Call, module: TopLevel) -> str | None:
    called = module.dotted(node.func)
    if called is None:
        return None
    if called == "lua_cli.env":
        return None if len(node.args) + len(node.keywords) > 1 else "fails when the variable is not set"
    if called in ("open", "io.open"):
        mode = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "mode"), None)
        writes = isinstance(mode, ast.Constant) and isinstance(mode.value, str) and _WRITING.search(mode.value)
        return "writes a file" if writes else None
    for prefix, (effect, names) in _PREFIXES.items():
        if called.startswith(prefix) and called.removeprefix(prefix) in names:
            return effect
    return _EFFECTS.get(called)
