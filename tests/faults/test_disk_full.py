"""A disk that is full under the server: what does not fit is refused whole, what was answered stays, and with room again it goes on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lua_cli.errors import LuaError
from lua_cli.registry.content import verify
from tests.registry.sample import AGENT, submission
from tests.server.serving import Server

SIZE_MIB = 6


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "lua-test", str(folder)], capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(server: Server, key: str) -> tuple[list[str], str]:
    """Push until it is refused: the versions that were answered, and what was said then."""
    answered: list[str] = []
    with server.client(key) as registry:
        for number in range(200):
            sent = submission(f"1.0.{number}", f"{number} " * 2000, unchecked=True)
            try:
                answered.append(registry.put(AGENT, sent).record.version)
            except LuaError as error:
                return answered, error.message
    raise AssertionError("the disk was never full")


@pytest.mark.parametrize("reserve", ["0", "2"])
def test_a_full_disk_refuses_and_keeps(small: Path, tmp_path: Path, reserve: str) -> None:
    """With space that is kept free the server refuses before it writes; without, the database does, and nothing is half there."""
    ballast = small / "ballast"
    server = Server(tmp_path / "log", "--reserve", reserve, url=f"sqlite:///{small / 'server.db'}").start()
    try:
        key = server.key("mo", AGENT)
        ballast.write_bytes(b"\0" * 1024 * 1024)
        answered, said = fill(server, key)
        assert "has no space left" in said
        with server.client(key) as registry:
            assert verify(registry, (AGENT,)).faults == []
            skill = registry.skill(AGENT, "orders")
            assert skill is not None and [record.version for record in skill.versions] == answered
            ballast.unlink()
            label = f"1.0.{len(answered)}"
            assert registry.put(AGENT, submission(label, f"{len(answered)} " * 2000, unchecked=True)).created
    finally:
        server.close()
