"""Processes that push and deploy to a server and say what was acknowledged, for tests that kill one side or the other.

`python -m tests.faults.writers ADDRESS SKILL COUNT` with LUA_API_KEY: versions of SKILL, each deployed after its push, each call repeated
while the server is away; prints "pushed V DIGEST" and "live V NUMBER" after the answer.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Callable
from typing import TypeVar

from lua_cli.errors import UnavailableError
from lua_cli.project.credentials import Key
from lua_cli.registry.http import HttpRegistry
from lua_cli.registry.protocol import Submission
from lua_cli.registry.sending import Policy
from tests.registry.sample import AGENT, submission

T = TypeVar("T")
_PATIENCE_SECONDS = 120.0


def version(skill: str, number: int) -> Submission:
    """What the writer pushes as its version of that number: some KiB, so that a write takes several pages."""
    return submission(f"1.0.{number}", f"{skill} {number} " * 100, skill=skill, unchecked=True)


def persistent(call: Callable[[], T]) -> T:
    """The answer of a call that is repeated while nobody answers."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return call()
        except UnavailableError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def acknowledge(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def main(address: str, skill: str, count: int) -> None:
    policy = Policy(repeats=0, total=20.0)
    with HttpRegistry(address, Key(os.environ["LUA_API_KEY"], "the test"), policy=policy) as registry:
        found = persistent(lambda: registry.skill(AGENT, skill))
        first = len(found.versions) if found else 0
        for number in range(first, first + count):
            sent = version(skill, number)
            stored = persistent(lambda sent=sent: registry.put(AGENT, sent))  # type: ignore[misc]
            acknowledge(f"pushed {stored.record.version} {stored.record.digest}")
            now = persistent(lambda: registry.skill(AGENT, skill))
            seen, key, label = now.seen if now else 0, str(uuid.uuid4()), stored.record.version
            entry = persistent(
                lambda label=label, seen=seen, key=key: registry.deploy(AGENT, skill, label, seen=seen, key=key)  # type: ignore[misc]
            )
            acknowledge(f"live {entry.version} {entry.number}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
