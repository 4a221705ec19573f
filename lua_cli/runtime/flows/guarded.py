"""Evaluates an expression, and ends it when it runs away. In: an Expression, a Scope. Out: its value, or a CelError.

The engine cannot be interrupted from within. What could take long is evaluated in a fork with limits of time and
memory, whose answer comes back through a pipe; everything else costs nothing more.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
import warnings
from pathlib import Path
from typing import Any

from lua_cli.flows.cel import CelError, Expression, Scope, message_of
from lua_cli.flows.cel_values import Converted

SECONDS = 0.4  # of the processor
PATIENCE = 0.9  # of the clock, where other work keeps the processor busy: whoever asked has an answer within a second
_MEMORY = 1024**3  # beyond what the process has already
_CHUNK = 1 << 20


def evaluate(expression: Expression, scope: Scope, seconds: float = SECONDS, patience: float = PATIENCE) -> Any:
    """The value of the expression. Raises CelError, also for one that takes more than `seconds` of work, or has none
    after `patience` seconds.
    """
    until = time.monotonic() + patience
    given = message_of(scope)
    if not expression.heavy(given):
        return expression.evaluate(scope, given)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads: the fork runs nothing of theirs
        pid = os.fork()
    if pid == 0:
        os.close(reading)
        _answer(expression, scope, given, writing, seconds)
    os.close(writing)
    found = None
    try:
        found = _read(reading, until)
    finally:
        os.close(reading)
        if found is None:
            os.kill(pid, signal.SIGKILL)
        late = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) in (-signal.SIGPROF, -signal.SIGKILL)
    return _taken(found, late)


def _answer(expression: Expression, scope: Scope, given: Converted, writing: int, seconds: float) -> None:
    """In the fork: evaluate, write, end."""
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        _limit_memory()
        try:
            answer: dict[str, Any] = {"value": expression.evaluate(scope, given)}
        except CelError as error:
            answer = {"error": error.message}
        content = memoryview(json.dumps(answer).encode())
        while content:
            content = content[os.write(writing, content) :]
    finally:
        os._exit(0)


def _limit_memory() -> None:
    import resource

    statm = Path("/proc/self/statm")
    used = int(statm.read_text("ascii").split()[0]) * resource.getpagesize() if statm.exists() else 0
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, used + _MEMORY))


def _read(reading: int, until: float) -> bytes | None:
    """All that the fork wrote; None when the time was over first."""
    content = bytearray()
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return None
        part = os.read(reading, _CHUNK)
        if not part:
            return bytes(content)
        content += part


def _taken(found: bytes | None, late: bool) -> Any:
    if late:
        raise CelError("it takes too long")
    if not found:
        raise CelError("it needs too much memory")
    answer = json.loads(found)
    if "error" in answer:
        raise CelError(answer["error"])
    return answer["value"]
