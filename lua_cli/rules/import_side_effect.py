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

import re
from collections.abc import Iterator
from typing import Final

from lua_cli.diagnostics import Diagnostic
from lua_cli.rules.judging.context import Context
from lua_cli.rules.judging.toplevel import TopLevel
from lua_cli.source import ir
from lua_cli.source.words import Words

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
# One of these stands in every module that the rule has something to say about.
_CALLED = Words(
    (
        "print", "input", "breakpoint", "exit", "quit", "_exit", "abort", "system", "popen", "remove", "unlink",
        "rmdir", "makedirs", "mkdir", "rmtree", "sleep", "run", "connect", "create_connection", "socket", "urlopen",
        "MongoClient", "env", "open", "SystemExit",
    ),
    after=r"(?:[\s)]*\(|\s+as\b)",
)  # fmt: skip
_NAMED = Words(("environ", "subprocess", "requests", "httpx", "SystemExit"))


def check(context: Context) -> Iterator[Diagnostic]:
    for name, path in context.analysis.modules.items():
        text = context.glance(path)
        module = context.top_level(name) if _NAMED.stand_in(text) or _CALLED.stand_in(text) else None
        for node in module.nodes() if module else ():
            if module is None or not isinstance(node, ir.Call | ir.Subscript | ir.Raise):
                continue
            effect = _effect(node, module)
            if effect:
                message = f"importing this module {effect}"
                help_ = "do it in `execute`, or in a cached function that `execute` calls"
                yield Diagnostic(CODE, SEVERITY, message, context.place(name, node.span), help=help_)


def _effect(node: ir.Call | ir.Subscript | ir.Raise, module: TopLevel) -> str | None:
    match node:
        case ir.Call():
            return _call(node, module)
        case ir.Subscript(value=value, key=key) if module.meaning(value) == "os.environ":
            name = repr(key.value) if isinstance(key, ir.Const) else "the variable"
            return f"fails when {name} is not set"
        case ir.Raise(exception=raised) if raised is not None:
            if isinstance(raised, ir.Conditional):
                raised = raised.body
            meaning = module.meaning(raised.func if isinstance(raised, ir.Call) else raised)
            return "ends the process" if meaning in ("SystemExit", "KeyboardInterrupt") else None
    return None


def _call(node: ir.Call, module: TopLevel) -> str | None:
    called = module.meaning(node.func)
    if called is None:
        return None
    if called == "lua_cli.env":
        return None if len(node.args) > 1 else "fails when the variable is not set"
    if called in ("open", "io.open"):
        position = [arg.value for arg in node.args if not arg.keyword][1:2]
        mode = next((arg.value for arg in node.args if arg.keyword == "mode"), position[0] if position else None)
        writes = isinstance(mode, ir.Const) and isinstance(mode.value, str) and _WRITING.search(mode.value)
        return "writes a file" if writes else None
    for prefix, (effect, names) in _PREFIXES.items():
        if called.startswith(prefix) and called.removeprefix(prefix) in names:
            return effect
    return _EFFECTS.get(called)
