"""A process that pushes and deploys, for tests that kill it. Each line on stdout is written after the registry has
acknowledged.

`python -m tests.registry.writer PATH NAME COUNT`: versions 1.0.0, 1.0.1, … of skill NAME, each deployed after its
push; prints "pushed V DIGEST" and "live V NUMBER".
"""

from __future__ import annotations

import os
import sys
import uuid
from pathlib import Path

from lua_cli.registry.embedded import EmbeddedRegistry
from lua_cli.registry.protocol import Submission
from tests.registry.sample import AGENT, submission


def version(name: str, number: int) -> Submission:
    """What the writer pushes as its version of that number: some KiB, so that a write takes several pages."""
    return submission(f"1.0.{number}", f"{name} {number} " * 100, skill=name, unchecked=True)


def acknowledge(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def main(path: Path, name: str, count: int) -> None:
    with EmbeddedRegistry(path) as registry:
        skill = registry.skill(AGENT, name)
        first = len(skill.versions) if skill else 0
        for number in range(first, first + count):
            stored = registry.put(AGENT, version(name, number))
            acknowledge(f"pushed {stored.record.version} {stored.record.digest}")
            skill = registry.skill(AGENT, name)
            entry = registry.deploy(
                AGENT, name, stored.record.version, seen=skill.seen if skill else 0, key=str(uuid.uuid4())
            )
            acknowledge(f"live {entry.version} {entry.number}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
